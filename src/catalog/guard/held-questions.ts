/** Whole questions, by the id of their call: for people, and in this process only. */
export interface HeldQuestions {
  hold(id: string, question: string): void;
  get(id: string): string | undefined;
  drop(id: string): void;
}

/** Those held longest go first when it gets too much. The one that was just added always stays. */
export function createHeldQuestions(maxCharacters = 32 * 1024 * 1024): HeldQuestions {
  const held = new Map<string, string>();
  let characters = 0;
  function drop(id: string): void {
    characters -= held.get(id)?.length ?? 0;
    held.delete(id);
  }
  return {
    drop,
    get: (id) => held.get(id),
    hold(id, question) {
      drop(id);
      held.set(id, question);
      characters += question.length;
      for (const other of held.keys()) {
        if (characters <= maxCharacters || other === id) return;
        drop(other);
      }
    },
  };
}
