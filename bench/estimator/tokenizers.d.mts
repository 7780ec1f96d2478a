export const tokenizers: Readonly<Record<string, unknown>>
export const installed: () => ReadonlyArray<string>
export const exactCounts: (
  texts: ReadonlyArray<string>,
  names?: ReadonlyArray<string>
) => Promise<Readonly<Record<string, ReadonlyArray<number>>>>
