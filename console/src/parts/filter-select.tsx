import { setQuery } from "../router/route.tsx";
import { visible } from "./words.tsx";

interface FilterSelectProps {
  /** What is chosen, as a user calls it: `Source`. */
  readonly label: string;
  /** The parameter of the address that keeps the choice. */
  readonly name: string;
  /** Empty for all. */
  readonly value: string;
  readonly choices: readonly string[];
  wordsOf?(choice: string): string;
}

/** Filters a list by one of several values. A value from the address is a choice even if nothing has it now. */
export function FilterSelect({ label, name, value, choices, wordsOf = String }: FilterSelectProps) {
  return (
    <select
      class="select"
      aria-label={label}
      value={value}
      onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
    >
      <option value="">{`all ${label.toLowerCase()}s`}</option>
      {[...new Set([...choices, ...(value === "" ? [] : [value])])].map((choice) => (
        <option key={choice} value={choice}>
          {visible(wordsOf(choice))}
        </option>
      ))}
    </select>
  );
}
