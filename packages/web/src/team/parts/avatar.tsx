import './avatar.css'

/** The initials of a person. Decorative: their name is next to it or in a label. */
export function Avatar({ name }: { name: string }) {
  return (
    <span className="avatar" aria-hidden>
      {initials(name)}
    </span>
  )
}

/** First letters of the first and last word, or the last two characters of a name without spaces in Chinese. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/)
  const [first = '', last = ''] = [words[0], words.length > 1 ? words.at(-1) : '']
  if (last === '' && /^\p{Script=Han}{2,}$/u.test(first)) return letters(first).slice(-2).join('')
  return [first, last]
    .map((word) => letters(word)[0] ?? '')
    .join('')
    .toLocaleUpperCase()
}

function letters(word: string): string[] {
  return Array.from(new Intl.Segmenter().segment(word), ({ segment }) => segment)
}
