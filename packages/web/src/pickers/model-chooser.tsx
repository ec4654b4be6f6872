import { Check, Plus, Search } from 'lucide-react'
import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react'
import { groupModels, isDemoModel, type ModelInfo, modelName, type TypedModel, typedModels } from '../api/models.ts'
import { FamilyMark, providerFamily } from '../models/family-mark.tsx'
import { formatCount } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { useVirtualList } from '../ui/scrolling.ts'
import { maxCompared } from '../workspace/compare-actions.ts'
import { useApp } from '../workspace/workspace.ts'
import './model-picker.css'

/* oxlint-disable jsx-a11y/prefer-tag-over-role, jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus --
   a list that a search field drives (the combobox pattern of ARIA) has no tag of its own; its keys are those of the field */

type Row =
  | { key: string; kind: 'group'; provider: string; family: string }
  | { key: string; kind: 'model'; model: ModelInfo }
  | { key: string; kind: 'typed'; typed: TypedModel }

type Option = Exclude<Row, { kind: 'group' }>

/** Approximate heights, in pixels. */
const groupHeight = 30
const optionHeight = 47
const listHeight = 460

/**
 * Lists models by provider. Typing searches; an ID that no provider lists can be used as it is. Draws only the rows in
 * view: some providers list thousands.
 */
export function ModelChooser({
  models,
  current,
  compared,
  onChoose,
}: {
  models: ModelInfo[]
  current: string | undefined
  /** Selected models, if several can be selected. */
  compared?: readonly string[] | undefined
  onChoose: (ref: string) => void
}) {
  const openProviders = useApp((state) => state.openProviders)
  const [search, setSearch] = useState('')
  /** Selected before the last change of the search. Rows do not move while they are selected. */
  const [pinned, setPinned] = useState(compared ?? [])
  const rows = useMemo(() => rowsOf(models, search, openProviders, pinned), [models, search, openProviders, pinned])
  const options = useMemo(() => rows.filter((row): row is Option => row.kind !== 'group'), [rows])
  const [marked, setMarked] = useState(current)
  const active = options.find(({ key }) => key === marked) ?? options[0]
  const listId = useId()
  const optionId = (ref: string) => `${listId}-${ref}`
  const isSelected = (ref: string) => (compared === undefined ? ref === current : compared.includes(ref))
  const isOff = (ref: string) => compared !== undefined && compared.length >= maxCompared && !compared.includes(ref)
  const choose = (ref: string) => void (isOff(ref) || onChoose(ref))

  const scroller = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  // The popover may have opened before this was loaded.
  useEffect(() => field.current?.focus(), [])
  /** Other rows after each change of the search, so that the list begins at its start instead of keeping its place. */
  const rowId = (key: string) => `${search} ${key}`
  const ids = useMemo(() => rows.map(({ key }) => `${search} ${key}`), [rows, search])
  const [target, setTarget] = useState<string | null>(current ?? null)
  const { list, from, to, room } = useVirtualList(ids, {
    scroller,
    guess: (index) => (rows[index]?.kind === 'group' ? groupHeight : optionHeight),
    begins: { at: 'start', height: listHeight },
    buffer: listHeight / 2,
    keepsEnd: () => false,
    // The current model may be far down.
    target:
      target === null || (search === '' && ids.indexOf(rowId(target)) < listHeight / optionHeight)
        ? null
        : rowId(target),
    onTarget: () => setTarget(null),
  })

  const move = (by: number) => {
    const index = options.findIndex(({ key }) => key === active?.key)
    const next = options[Math.min(Math.max(index + by, 0), options.length - 1)]
    if (next === undefined) return
    setMarked(next.key)
    const element = document.getElementById(optionId(next.key))
    if (element === null) setTarget(next.key)
    else element.scrollIntoView({ block: 'nearest' })
  }

  return (
    <>
      <div className="model-search">
        <Search aria-hidden />
        <input
          ref={field}
          role="combobox"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={active === undefined ? undefined : optionId(active.key)}
          aria-label={t.models.search}
          placeholder={t.models.searchOrType}
          autoCapitalize="off"
          autoComplete="off"
          spellCheck={false}
          value={search}
          onChange={(event) => {
            setSearch(event.target.value)
            setPinned(compared ?? [])
            setTarget(null)
            if (scroller.current !== null) scroller.current.scrollTop = 0
          }}
          onKeyDown={(event) => {
            const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key]
            if (step !== undefined) {
              event.preventDefault()
              move(step)
            } else if (event.key === 'Enter' && active !== undefined && !event.nativeEvent.isComposing) {
              event.preventDefault()
              choose(active.key)
            }
          }}
        />
      </div>
      <div
        id={listId}
        ref={scroller}
        className="model-list"
        role="listbox"
        aria-label={t.models.list}
        aria-multiselectable={compared !== undefined}
      >
        <div ref={list} style={room} role="presentation">
          {rows.slice(from, to).map((row) =>
            row.kind === 'group' ? (
              <div key={rowId(row.key)} className="model-group" aria-hidden>
                {row.family !== '' && <FamilyMark family={row.family} name={row.provider} />}
                {row.provider}
              </div>
            ) : (
              <div
                key={rowId(row.key)}
                id={optionId(row.key)}
                role="option"
                aria-selected={isSelected(row.key)}
                aria-disabled={isOff(row.key) || undefined}
                aria-setsize={options.length}
                aria-posinset={options.indexOf(row) + 1}
                title={isOff(row.key) ? t.columns.most(maxCompared) : undefined}
                className={row.key === active?.key ? 'model-option model-active' : 'model-option'}
                onMouseMove={() => setMarked(row.key)}
                onClick={() => choose(row.key)}
              >
                {row.kind === 'typed' ? (
                  <TypedOption typed={row.typed} />
                ) : (
                  <ModelOption model={row.model} mark={isSelected(row.key) && <Check aria-hidden />} />
                )}
              </div>
            ),
          )}
        </div>
        {options.length === 0 && (
          <p className="model-none">{models.length === 0 ? t.models.noProvider : t.models.noResults}</p>
        )}
      </div>
    </>
  )
}

function rowsOf(
  models: ModelInfo[],
  search: string,
  openProviders: { id: string; name: string }[],
  pinned: readonly string[],
): Row[] {
  if (search === '' && pinned.length > 1) {
    const isPinned = ({ ref }: ModelInfo) => pinned.includes(ref)
    return [
      { key: 'group', kind: 'group', provider: t.columns.selected, family: '' },
      ...models.filter(isPinned).map((model): Row => ({ key: model.ref, kind: 'model', model })),
      ...rowsOf(
        models.filter((model) => !isPinned(model)),
        search,
        openProviders,
        [],
      ),
    ]
  }
  const groups = groupModels(models, search)
  const matches = groups.flatMap((group) => group.models)
  const listed = groups.flatMap(({ provider, models: members }): Row[] => [
    {
      key: `group ${provider}`,
      kind: 'group',
      provider,
      family: providerFamily(members[0]?.ref.split('/', 1)[0] ?? ''),
    },
    ...members.map((model): Row => ({ key: model.ref, kind: 'model', model })),
  ])
  const typed = typedModels(search, openProviders, matches)
  return [...listed, ...typed.map((one): Row => ({ key: one.ref, kind: 'typed', typed: one }))]
}

function ModelOption({ model, mark }: { model: ModelInfo; mark: ReactNode }) {
  const isDemo = isDemoModel(model.ref)
  return (
    <>
      <span className="model-name">
        {modelName(model)}
        {mark}
      </span>
      <span className="model-facts">
        {/* The ID is last, because name and group tell most of it, and a narrow row cuts it off. */}
        {isDemo
          ? t.models.scripted
          : [
              model.contextWindow !== undefined && t.models.window(formatCount(model.contextWindow)),
              model.price !== undefined && t.models.price(model.price.input, model.price.output),
              model.ref,
            ]
              .filter(Boolean)
              .join(' · ')}
      </span>
      <span className="model-tags">
        {model.tags
          .filter((tag) => tag !== 'chat')
          .map((tag) => (
            <span key={tag} className="model-tag">
              {t.models.tags[tag] ?? tag}
            </span>
          ))}
      </span>
    </>
  )
}

function TypedOption({ typed: { id, provider } }: { typed: TypedModel }) {
  return (
    <>
      <span className="model-name">
        <Plus aria-hidden />
        <span className="model-typed">
          <VisibleText text={t.models.useTyped(id)} as="name" />
        </span>
      </span>
      <span className="model-facts">{t.models.typedAt(provider)}</span>
    </>
  )
}
