import '../../texts/show-late.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { Group, VisibleText } from '../../ui/elements.tsx'
import type { MergePlace, MergeSide } from './merge-texts.ts'
import './three-way.css'

interface ThreeWayProps {
  places: readonly MergePlace[]
  choices: Readonly<Record<number, MergeSide>>
  onChoose: (place: number, side: MergeSide) => void
}

const mostPlaces = 200
const mostLines = 60

/** Every changed place in three columns: mine, before and on disk. Conflicts come first. */
export function ThreeWay({ places, choices, onChoose }: ThreeWayProps) {
  const order = [...places.keys()].toSorted(
    (one, other) => Number(places[other]!.isConflict) - Number(places[one]!.isConflict) || one - other,
  )
  return (
    // The columns scroll, so keys must reach them.
    <section className="three-way" aria-label={t.files.threeWay} tabIndex={0}>
      {order.slice(0, mostPlaces).map((index) => {
        const place = places[index]!
        const chosen = choices[index] ?? usual(place)
        return (
          <section key={index} className="three-way-place" data-conflict={place.isConflict}>
            <h3>
              {t.files.atLine(place.from + 1)}
              {place.isConflict && <span className="badge">{t.files.conflictTitle}</span>}
            </h3>
            <div className="three-way-columns">
              {(['mine', 'base', 'theirs'] as const).map((side) => (
                <div key={side} data-chosen={chosen === side || (chosen === 'both' && side !== 'base')}>
                  <h4>{t.files.sides[names[side]]}</h4>
                  <Lines lines={place[side]} />
                </div>
              ))}
            </div>
            <Group className="three-way-choices" label={t.files.resultAt(place.from + 1)}>
              {(['mine', 'base', 'theirs', 'both'] as const).map((side) => (
                <Button key={side} kind="quiet" aria-pressed={chosen === side} onClick={() => onChoose(index, side)}>
                  {side === 'both' ? t.files.useBoth : t.files.takeOther[names[side]]}
                </Button>
              ))}
            </Group>
          </section>
        )
      })}
      {places.length > mostPlaces && <p>{t.files.morePlaces(places.length - mostPlaces)}</p>}
    </section>
  )
}

const names = { mine: 'mine', base: 'before', theirs: 'disk' } as const

function usual({ isConflict, theirs, base }: MergePlace): MergeSide {
  return isConflict || theirs.join('\n') === base.join('\n') ? 'mine' : 'theirs'
}

function Lines({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return <p className="three-way-none">{t.files.noLines}</p>
  const shown = lines.slice(0, mostLines).map((line) => line.slice(0, 500))
  return (
    <pre>
      <VisibleText text={shown.join('\n')} />
      {lines.length > mostLines && `\n${t.files.moreLines(lines.length - mostLines)}`}
    </pre>
  )
}
