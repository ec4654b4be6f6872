import { lazy, Suspense } from 'react'
import { Logo } from '../ui/elements.tsx'
import './family-mark.css'

/** The marks are in a chunk of their own. Without it, every family has its letter. */
const KnownMark = lazy(() =>
  import('./family-marks.ts').then(
    ({ familyMarks }) => ({
      default: function KnownMark({ family, name }: { family: string; name: string }) {
        const paths = familyMarks[markName(family)]
        if (paths === undefined) return <LetterMark name={name} />
        return (
          <svg className="family-mark" viewBox="0 0 24 24" fillRule="evenodd" aria-hidden>
            {paths.map((path) => (
              <path key={path} d={path} />
            ))}
          </svg>
        )
      },
    }),
    () => ({ default: LetterMark }),
  ),
)

/** Mark of a model family or provider. One without a mark gets the first letter of its name. */
export function FamilyMark({ family = '', name = family }: { family?: string | undefined; name?: string }) {
  if (family.toLowerCase() === 'demo')
    return (
      <i className="family-mark">
        <Logo />
      </i>
    )
  const letter = <LetterMark name={name} />
  return markName(family) === '' ? (
    letter
  ) : (
    // A letter that turns into a mark would flicker.
    <Suspense fallback={<i className="family-mark" aria-hidden />}>
      <KnownMark family={family} name={name} />
    </Suspense>
  )
}

function LetterMark({ name }: { name: string }) {
  const [letter = '?'] = name.match(/[\p{L}\p{N}]/u) ?? []
  // Drawn by the style sheet, so that it is no part of a name that is read or copied.
  return <i className="family-mark family-letter" data-letter={letter.toUpperCase()} aria-hidden />
}

function markName(family: string): string {
  return family.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

const familyOfProvider: Readonly<Record<string, string>> = { 'codex-cli': 'codex', google: 'gemini' }

/**
 * Family of a provider's own mark: its ID. A custom address speaks the API of a maker, and must not have its mark:
 * `openrouter` has one of its own, `acme` has none.
 */
export function providerFamily(id: string): string {
  return familyOfProvider[id] ?? id
}
