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
      <span className="family-mark">
        <Logo />
      </span>
    )
  const letter = <LetterMark name={name} />
  return markName(family) === '' ? (
    letter
  ) : (
    <Suspense fallback={letter}>
      <KnownMark family={family} name={name} />
    </Suspense>
  )
}

function LetterMark({ name }: { name: string }) {
  const [letter = '?'] = name.match(/[\p{L}\p{N}]/u) ?? []
  return (
    <span className="family-mark family-letter" aria-hidden>
      {letter.toUpperCase()}
    </span>
  )
}

function markName(family: string): string {
  return family.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

/**
 * Family of a provider's own mark. A custom address may belong to anyone, so its family is its name: `openrouter` has a
 * mark, `acme` has not.
 */
export function providerFamily({ id, adapter, familyId }: { id: string; adapter: string; familyId: string }): string {
  return adapter === 'openai-compatible' ? id : familyId
}
