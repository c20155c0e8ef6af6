import { registerHooks } from "node:module";

/** Loaded before an example, so that it imports this package from source, not from the last build. */
registerHooks({
  resolve(specifier, context, next) {
    const own = /^clawport\/(.*)$/.exec(specifier)?.[1];
    return next(own === undefined ? specifier : import.meta.resolve(`../../src/${own}/index.ts`), context);
  },
});
