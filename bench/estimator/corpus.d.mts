export interface Piece {
  readonly name: string
  readonly part: "training" | "check" | "holdOut"
  readonly text: string
}
export const corpus: () => ReadonlyArray<Piece>
