import { Button } from "../../parts/button.tsx";
import { plural } from "../../parts/words.tsx";

/** A rule as it is edited: what the hub can't use, it says. */
export type Rule = Readonly<Record<string, unknown>>;

interface RuleRowProps {
  readonly number: number;
  readonly rule: Rule;
  /** How many of the last calls it would have decided. */
  readonly decided: number | undefined;
  readonly isLast: boolean;
  onChange(rule: Rule): void;
  onMove(by: number): void;
  onRemove(): void;
}

const doors = ["mcp-stdio", "mcp-http", "plugin", "node", "console", "cli", "app-proxy", "server"];
const hints = [
  "readOnly",
  "destructive",
  "idempotent",
  "openWorld",
  "!readOnly",
  "!destructive",
  "!idempotent",
  "!openWorld",
];

/** What a rule can ask about a call: a text with `*`, or one of these values. */
const conditions: Readonly<Record<string, readonly string[] | undefined>> = {
  tool: undefined,
  source: undefined,
  client: undefined,
  token: undefined,
  door: doors,
  annotation: hints,
  kind: ["server", "app", "machine", "agent"],
  sender: undefined,
  agent: undefined,
};

/** One rule, read as a sentence: ask if the tool is … and the source is …. */
export function RuleRow({ number, rule, decided, isLast, onChange, onMove, onRemove }: RuleRowProps) {
  const used = Object.keys(conditions).filter((name) => name in rule);
  const unused = Object.keys(conditions).filter((name) => !(name in rule));
  const without = (name: string): Rule => {
    const { [name]: _, ...rest } = rule;
    return rest;
  };
  return (
    <li class="rule" data-rule={number}>
      <span class="rule-number muted num">{number}</span>
      <div class="grow stack-small">
        <div class="row row-wrap">
          <select
            class="select"
            aria-label={`What rule ${number} does`}
            value={String(rule["verdict"])}
            onChange={(event) => onChange({ ...rule, verdict: event.currentTarget.value })}
          >
            <option value="allow">allow</option>
            <option value="ask">ask</option>
            <option value="deny">deny</option>
          </select>
          {used.length === 0 && <span class="muted">every call</span>}
          {used.map((name, at) => (
            <span key={name} class="row condition">
              <span class="muted">
                {at === 0 ? "if" : "and"} {name}
              </span>
              <Condition
                number={number}
                name={name}
                value={String(rule[name])}
                onChange={(value) => onChange({ ...rule, [name]: value })}
              />
              <Button
                local
                kind="quiet"
                icon="close"
                label={`Remove ${name} from rule ${number}`}
                onClick={() => onChange(without(name))}
              />
            </span>
          ))}
          {unused.length > 0 && (
            <select
              class="select quiet-select"
              aria-label={`Add a condition to rule ${number}`}
              value=""
              onChange={(event) => {
                const name = event.currentTarget.value;
                onChange({ ...rule, [name]: conditions[name]?.[0] ?? "*" });
              }}
            >
              <option value="">+ condition</option>
              {unused.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </div>
        <input
          class="input reason"
          aria-label={`Reason of rule ${number}`}
          placeholder="Reason, shown with the question or the refusal"
          value={typeof rule["reason"] === "string" ? rule["reason"] : ""}
          onInput={(event) =>
            onChange(
              event.currentTarget.value === "" ? without("reason") : { ...rule, reason: event.currentTarget.value },
            )
          }
        />
      </div>
      <span class="small muted num decided">{decided !== undefined && plural(decided, "call")}</span>
      <span class="row tight">
        <Button
          local
          kind="quiet"
          icon="up"
          label={`Move rule ${number} up`}
          disabled={number === 1}
          onClick={() => onMove(-1)}
        />
        <Button
          local
          kind="quiet"
          icon="down"
          label={`Move rule ${number} down`}
          disabled={isLast}
          onClick={() => onMove(1)}
        />
        <Button local kind="quiet" icon="close" label={`Remove rule ${number}`} onClick={onRemove} />
      </span>
    </li>
  );
}

interface ConditionProps {
  readonly number: number;
  readonly name: string;
  readonly value: string;
  onChange(value: string): void;
}

function Condition({ number, name, value, onChange }: ConditionProps) {
  const options = conditions[name];
  const label = `The ${name} of rule ${number}`;
  if (options === undefined)
    return (
      <input
        class="input mono condition-input"
        aria-label={label}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    );
  return (
    <select class="select" aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {options.map((option) => (
        <option key={option} value={option}>
          {option}
        </option>
      ))}
    </select>
  );
}
