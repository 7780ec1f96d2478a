export const fetchTexts: () => void
