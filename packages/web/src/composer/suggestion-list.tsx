import { Bot, File, Folder, GraduationCap, SquareSlash } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { PickItem } from '../api/api.ts'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import './pick-list.css'
import type { Suggestions } from './suggestions.ts'

/* oxlint-disable jsx-a11y/prefer-tag-over-role, jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus --
   a list that a text field drives has no tag of its own; its keys are those of the field */

const icons = { command: SquareSlash, skill: GraduationCap, file: File, folder: Folder, agent: Bot }

/** Suggestions at the caret. The field keeps the focus; arrows move, Enter or Tab accepts, Escape closes. */
export function SuggestionList({ picks }: { picks: Suggestions }) {
  const { listId, items, active, optionId, accept: take } = picks
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active, items])
  const open = items.length > 0
  return (
    <>
      {open && (
        <div className="pick-box">
          <div ref={list} id={listId} role="listbox" aria-label={t.composerPicks.title} className="pick-list">
            {items.map((item, index) => (
              <Option
                key={`${item.kind} ${item.label}`}
                id={optionId(index)}
                item={item}
                active={index === active}
                onTake={() => take(item)}
              />
            ))}
          </div>
          <p className="pick-keys" aria-hidden>
            <kbd>↑</kbd> <kbd>↓</kbd> {t.composerPicks.move} · <kbd>Enter</kbd> {t.composerPicks.select} ·{' '}
            <kbd>Esc</kbd> {t.composerPicks.close}
          </p>
        </div>
      )}
      <output className="visually-hidden" aria-live="polite">
        {open ? describeOption(items, active) : ''}
      </output>
    </>
  )
}

interface OptionProps {
  id: string
  item: PickItem
  active: boolean
  onTake: () => void
}

function Option({ id, item, active, onTake }: OptionProps) {
  const Icon = icons[item.kind]
  return (
    <div
      id={id}
      role="option"
      aria-selected={active}
      className="pick-item"
      // Keeps the focus in the field, so the list stays open.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onTake}
    >
      <Icon aria-hidden />
      <span className="pick-label">{item.label}</span>
      {item.kind !== 'folder' && item.detail !== '' && (
        <span className="pick-detail">{translateServerText(item.detail, 'text')}</span>
      )}
    </div>
  )
}

function describeOption(items: readonly PickItem[], active: number): string {
  const item = items[active]
  if (item === undefined) return ''
  const about = item.detail === '' || item.kind === 'folder' ? '' : `, ${translateServerText(item.detail, 'text')}`
  return `${item.label}, ${t.composerPicks.kind[item.kind]}${about}. ${t.composerPicks.place(active + 1, items.length)}`
}
