interface SegmentsProps<Id extends string> {
  readonly label: string;
  /** Each with its words. */
  readonly choices: readonly (readonly [Id, string])[];
  readonly value: Id;
  onChoose(id: Id): void;
}

/** A few choices side by side. */
export function Segments<Id extends string>({ label, choices, value, onChoose }: SegmentsProps<Id>) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {choices.map(([id, words]) => (
        <button key={id} type="button" aria-pressed={id === value} onClick={() => onChoose(id)}>
          {words}
        </button>
      ))}
    </div>
  );
}
