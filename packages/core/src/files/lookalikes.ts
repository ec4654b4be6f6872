/** Characters that are easily taken for each other, the plain one first. */
const families = [
  "'\u2018\u2019\u201a\u201b\u2032",
  '"\u201c\u201d\u201e\u201f\u2033',
  '-\u2010\u2011\u2012\u2013\u2014\u2015\u2212',
  ' \u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000',
].map((family) => family.split(''))

const familyByCharacter = new Map(families.flatMap((family) => family.map((character) => [character, family] as const)))

/** The character in all its guises: typographic ones, and composed or not. */
export function lookalikes(character: string): string[] {
  const family = familyByCharacter.get(character)
  if (family !== undefined) return family
  const decomposed = character.normalize('NFD')
  return decomposed === character ? [character] : [character, decomposed]
}

/** The same text with the plain one of each family. */
export function plainCharacters(text: string): string {
  return text.replace(/[^\0-\x7f]/gu, (character) => familyByCharacter.get(character)?.[0] ?? character)
}

/** The same text with plain quotes, dashes and spaces. */
export function plainPunctuation(text: string): string {
  return plainCharacters(text.normalize('NFC'))
}
