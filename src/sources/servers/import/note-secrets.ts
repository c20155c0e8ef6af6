import { redact } from "../../../core/redact.ts";
import { isSecretWord } from "../../../core/redact-words.ts";
import { isName, toVariable } from "./dialects.ts";
import type { ImportedServer } from "./reading.ts";
import type { Remarks } from "./remarks.ts";

/** Says which texts hold a secret in plain, and under which name it would better come from the environment. */
export function noteSecrets(server: string, imported: ImportedServer, remarks: Remarks): void {
  const say = (place: string, variable: string): void => {
    remarks.note(`${place} holds a secret in plain text; better as $${variable} from the environment`);
  };
  for (const [key, value] of Object.entries(imported.env ?? {})) {
    if (isSecret(key, value)) say(`env.${key}`, isName(key) ? key : toVariable(key));
  }
  for (const [key, value] of Object.entries(imported.headers ?? {})) {
    if (isSecret(key, value)) say(`headers.${key}`, toVariable(`${server}_${key}`));
  }
  if (isSecret("apiKey", imported.apiKey ?? "")) say("apiKey", toVariable(`${server}_API_KEY`));
  if (isSecret("clientSecret", imported.auth?.clientSecret ?? "")) {
    say("auth.clientSecret", toVariable(`${server}_CLIENT_SECRET`));
  }
  if (isSecret("url", imported.url ?? "")) say("url", toVariable(`${server}_URL`));
  const { args = [] } = imported;
  for (const [index, arg] of args.entries()) {
    if (isSecret("argument", arg) || (isSecretWord(args[index - 1], arg) && !isFromEnvironment(arg)))
      say(`args[${index}]`, toVariable(`${server}_SECRET`));
  }
}

function isFromEnvironment(value: string): boolean {
  return /(?<!\$)(?:\$\$)*\$\{?[A-Za-z_]/.test(value);
}

/** By its name or its shape, as the log would mask it. What comes from the environment already is none. */
function isSecret(key: string, value: string): boolean {
  if (value === "" || isFromEnvironment(value)) return false;
  const shown = redact({ [key]: value });
  return JSON.stringify(shown) !== JSON.stringify({ [key]: value });
}
