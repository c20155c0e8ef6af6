/** The release that everything is tried against. */
export const openClawVersion = "2026.9.6";
