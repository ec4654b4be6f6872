interface Named {
  id: string
  name: string
}

/** The mention that is being typed: where its `@` is, and the word after it. */
export function mentionAt(text: string, caret: number): { from: number; word: string } | null {
  const found = /(?:^|[\s(,，、])@([^\s@]{0,40})$/u.exec(text.slice(0, caret))
  if (found === null) return null
  const word = found[1] ?? ''
  return { from: caret - word.length - 1, word }
}

/** People whose `@name` is in the text. Of two names with the same beginning, the longer one counts. */
export function mentionedIn<Person extends Named>(text: string, people: readonly Person[]): Person[] {
  let left = text.toLocaleLowerCase()
  const byLength = people.toSorted((one, other) => other.name.length - one.name.length)
  return byLength.filter(({ name }) => {
    const written = `@${name.toLocaleLowerCase()}`
    const isThere = left.includes(written)
    left = left.replaceAll(written, ' ')
    return isThere
  })
}
