import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  LanguageDescription,
  syntaxHighlighting,
} from '@codemirror/language'
import { languages } from '@codemirror/language-data'
import { type Diagnostic, linter, lintGutter, lintKeymap } from '@codemirror/lint'
import { unifiedMergeView } from '@codemirror/merge'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, type Extension, Text } from '@codemirror/state'
import {
  crosshairCursor,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { nameOf } from '../tree-rows.ts'
import { editorTheme } from './editor-theme.ts'

export interface SelectedLines {
  /** From 1. */
  from: number
  to: number
}

export interface FileProblem {
  /** Both from 1. */
  line: number
  column: number
  severity: 'error' | 'warning'
  message: string
}

export interface EditorOptions {
  parent: HTMLElement
  path: string
  text: string
  isReadOnly: boolean
  label: string
  phrases: Record<string, string>
  /** Problems that a language server finds in the text. Null if there is none for this file. */
  findProblems: (text: string) => Promise<FileProblem[] | null>
  onChange: () => void
  onSelect: (lines: SelectedLines | null) => void
  onSave: () => void
  onAsk: () => void
  onEdit: () => void
}

export interface Editor {
  readonly view: EditorView
  /** The text with the line endings of the file. */
  text(): string
  /** Null if nothing is selected. */
  selected(): SelectedLines | null
  /** Replaces only what differs, so that the cursor stays. Takes the line endings of the given text. */
  setText(text: string): void
  /** The same for a text of the document, whose lines end in a line feed. */
  setDocument(text: string): void
  /** Shows the difference to another text inside the editor, with buttons per change. Null ends it. */
  compareWith(original: string | null, labels?: { accept: string; reject: string }): void
  setReadOnly(isReadOnly: boolean): void
  goToLine(line: number): void
  focus(): void
  destroy(): void
}

/** Parsing more would cost more than colors are worth. */
const maxColored = 2_000_000
const maxColoredLine = 20_000

/**
 * Creates a CodeMirror editor in a shadow root. There its style sheets are constructed by script, which our content
 * security policy allows; in the page it would add style elements, which the policy blocks.
 */
export function createEditor(options: EditorOptions): Editor {
  const { parent, path, text, onSave, onAsk, onEdit } = options
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' })
  root.addEventListener('keydown', keepTyping)
  const language = new Compartment()
  const readOnly = new Compartment()
  const compared = new Compartment()
  const isWide = text.length > maxColored || hasLongLine(text)
  let ending = endingOf(text)
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: toDocument(text),
      extensions: [
        // The default would turn mixed line endings into one kind.
        EditorState.lineSeparator.of('\n'),
        EditorView.clipboardInputFilter.of((pasted) => pasted.replaceAll(/\r\n?/g, '\n')),
        lineNumbers(),
        highlightActiveLineGutter(),
        highlightSpecialChars(),
        history(),
        drawSelection(),
        EditorState.allowMultipleSelections.of(true),
        indentOnInput(),
        bracketMatching(),
        rectangularSelection(),
        crosshairCursor(),
        highlightActiveLine(),
        highlightSelectionMatches({ maxMatches: 200 }),
        search({ top: true }),
        indentUnit.of(indentOf(text)),
        EditorState.phrases.of(options.phrases),
        // Wrapping one line of megabytes would lay out all of it.
        isWide ? [] : EditorView.lineWrapping,
        EditorView.perLineTextDirection.of(true),
        EditorView.contentAttributes.of({
          'aria-label': options.label,
          tabindex: '0',
          spellcheck: 'false',
          autocapitalize: 'off',
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.onChange()
          if (update.selectionSet || update.docChanged) options.onSelect(selectedLines(update.state))
        }),
        syntaxHighlighting(colors),
        editorTheme,
        language.of([]),
        readOnly.of(readOnlyState(options.isReadOnly)),
        compared.of([]),
        isWide ? [] : problemMarks(options.findProblems),
        keymap.of([
          { key: 'Mod-s', run: command(onSave), preventDefault: true },
          { key: 'Mod-l', run: command(onAsk), preventDefault: true },
          { key: 'Mod-k', run: command(onEdit), preventDefault: true },
          indentWithTab,
          ...lintKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
      ],
    }),
  })
  if (!isWide) void loadLanguage(nameOf(path)).then((found) => view.dispatch({ effects: language.reconfigure(found) }))

  return {
    view,
    text: () => view.state.doc.sliceString(0, view.state.doc.length, ending),
    setText(next) {
      ending = endingOf(next)
      setDocument(toDocument(next))
    },
    setDocument,
    compareWith(original, labels) {
      const extension =
        original === null
          ? []
          : unifiedMergeView({
              original: Text.of(toDocument(original).split('\n')),
              gutter: true,
              allowInlineDiffs: true,
              mergeControls: labels === undefined ? false : (kind, action) => mergeButton(labels[kind], kind, action),
              diffConfig: { scanLimit: 2000, timeout: 300 },
            })
      view.dispatch({ effects: compared.reconfigure(extension) })
    },
    setReadOnly: (isReadOnly) => view.dispatch({ effects: readOnly.reconfigure(readOnlyState(isReadOnly)) }),
    goToLine(line) {
      const { from } = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)))
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
    },
    selected: () => selectedLines(view.state),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }

  function setDocument(next: string): void {
    const change = smallestChange(view.state.doc.toString(), next)
    if (change !== undefined) view.dispatch({ changes: change, userEvent: 'input.reload' })
  }
}

type LineEnding = '\n' | '\r\n'

/** Windows line endings, if the text has no others. */
export function endingOf(text: string): LineEnding {
  return text.includes('\r\n') && !/(^|[^\r])\n|\r(?!\n)/.test(text) ? '\r\n' : '\n'
}

function toDocument(text: string): string {
  return endingOf(text) === '\n' ? text : text.replaceAll('\r\n', '\n')
}

/** Keys of the page, such as those that answer an approval, must not hear what is typed here. */
function keepTyping(event: Event): void {
  const { key, ctrlKey, metaKey, altKey, getModifierState } = event as KeyboardEvent
  const isTyped = !(ctrlKey || metaKey || altKey) || getModifierState.call(event, 'AltGraph')
  if (isTyped && key !== 'Escape' && !/^F\d+$/.test(key)) event.stopPropagation()
}

function command(run: () => void): () => boolean {
  return () => {
    run()
    return true
  }
}

const problemsAfterMs = 700

/** Underlines problems a while after the last change. Asks no more for a file that no language server knows. */
function problemMarks(find: EditorOptions['findProblems']): Extension {
  let isServed = true
  const source = async ({ state: { doc } }: EditorView): Promise<Diagnostic[]> => {
    if (!isServed) return []
    const found = await find(doc.toString()).catch(() => null)
    isServed = found !== null
    return (found ?? []).map(({ line, column, severity, message }) => {
      const { from, to } = doc.line(Math.max(1, Math.min(line, doc.lines)))
      const start = Math.min(from + column - 1, to)
      const [word = ''] = /^[\p{L}\p{N}_$]+/u.exec(doc.sliceString(start, to)) ?? []
      return { from: start, to: Math.min(to, start + Math.max(1, word.length)), severity, message }
    })
  }
  return [linter(source, { delay: problemsAfterMs }), lintGutter()]
}

function readOnlyState(isReadOnly: boolean): Extension {
  return [EditorState.readOnly.of(isReadOnly), EditorView.editable.of(true)]
}

function mergeButton(label: string, kind: 'accept' | 'reject', action: (event: MouseEvent) => void): HTMLElement {
  const button = document.createElement('button')
  button.textContent = label
  button.name = kind
  button.type = 'button'
  button.addEventListener('mousedown', action)
  button.addEventListener('click', (event) => {
    // Keys click without pressing the mouse.
    if (event.detail === 0) action(event)
  })
  return button
}

function selectedLines(state: EditorState): SelectedLines | null {
  const { main } = state.selection
  if (main.empty) return null
  const last = state.doc.lineAt(main.to)
  const to = last.from === main.to && main.to > main.from ? last.number - 1 : last.number
  return { from: state.doc.lineAt(main.from).number, to }
}

function hasLongLine(text: string): boolean {
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at)
    const length = (end === -1 ? text.length : end) - at
    if (length > maxColoredLine) return true
    if (end === -1) return false
    at = end + 1
  }
  return false
}

/** Tabs if the file uses them, else its usual number of spaces. */
function indentOf(text: string): string {
  const [, space = ''] = /\n([\t ]+)\S/.exec(text.slice(0, 20_000)) ?? []
  if (space.startsWith('\t')) return '\t'
  return space.length === 4 ? '    ' : '  '
}

async function loadLanguage(name: string): Promise<Extension> {
  // Without its language, the text stays plain.
  return (
    (await LanguageDescription.matchFilename(languages, name)
      ?.load()
      .catch(() => undefined)) ?? []
  )
}

/** The part between the common start and the common end. */
export function smallestChange(
  before: string,
  after: string,
): { from: number; to: number; insert: string } | undefined {
  if (before === after) return undefined
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let end = 0
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) }
}

/** The colors of code elsewhere in the page. */
const colors = HighlightStyle.define([
  { tag: [tags.comment, tags.meta, tags.quote], color: 'var(--ink-3)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.tagName, tags.heading, tags.modifier], color: 'var(--ansi-magenta)' },
  { tag: [tags.string, tags.regexp, tags.character, tags.link, tags.inserted], color: 'var(--ansi-green)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.escape, tags.unit], color: 'var(--ansi-yellow)' },
  {
    tag: [tags.typeName, tags.className, tags.namespace, tags.function(tags.variableName), tags.labelName],
    color: 'var(--ansi-blue)',
  },
  { tag: [tags.propertyName, tags.attributeName, tags.standard(tags.name)], color: 'var(--ansi-cyan)' },
  { tag: [tags.deleted, tags.invalid], color: 'var(--ansi-red)' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strong, fontWeight: '650' },
  { tag: tags.heading, fontWeight: '650' },
])
