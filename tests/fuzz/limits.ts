/** The largest message that the target takes: small, so that going past it is cheap. */
export const maxMessageBytes = 256 * 1024;
