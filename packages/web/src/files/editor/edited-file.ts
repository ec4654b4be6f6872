import type { FileContent } from '@troupe/protocol'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Api } from '../../api/api.ts'
import { ApiError, toErrorInfo } from '../../api/request.ts'
import { isRecord } from '../../api/read-fields.ts'
import type { FileWatch } from '../file-watch.ts'
import { folderOf, nameOf } from '../tree-rows.ts'
import type { FileDrafts } from './drafts.ts'

export interface EditedState {
  /** Undefined until it is read. Its text is the last known content on disk. */
  file: FileContent | undefined
  problem: { message: string; isSecret: boolean; isMissing: boolean } | undefined
  isDirty: boolean
  isSaving: boolean
  /** Somebody else changed the file while the person edited. Null: deleted it. */
  conflict: { current: FileContent | null } | undefined
}

/** The text being edited. The editor has it, and tests have a variable. */
export interface EditedText {
  get(): string
  set(text: string): void
}

export interface EditedFile extends StoreApi<EditedState> {
  /** Reads and watches the file until the returned function is called. */
  open(options?: { secret?: boolean }): () => void
  reload(options?: { secret?: boolean }): Promise<void>
  /** Connects the editor. Returns the text to begin with: the unsaved one, if there is one. */
  connect(text: EditedText): void
  initialText(): string
  /** The person typed. */
  changed(): void
  /** `over` saves over the version that is on disk now. */
  save(options?: { over?: boolean }): Promise<boolean>
  /** Takes the content on disk and drops the unsaved text. */
  discard(): void
  /** Goes on from the version on disk with this text, which is not saved yet. */
  resolve(text: string): void
  /** Keeps the unsaved text now, for a page that closes. */
  flush(): void
}

interface EditedFileOptions {
  api: Pick<Api, 'fileContent' | 'saveFile'>
  watch: FileWatch
  drafts: FileDrafts
  /** The workspace, for drafts. */
  folder: string
  path: string
}

const draftMs = 400

/** One open file: what is on disk, what the person typed, and what to do if both changed. */
export function createEditedFile({ api, watch, drafts, folder, path }: EditedFileOptions): EditedFile {
  const store = createStore<EditedState>(() => ({
    file: undefined,
    problem: undefined,
    isDirty: false,
    isSaving: false,
    conflict: undefined,
  }))
  const { getState, setState } = store
  let text: EditedText | undefined
  let unsaved: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isSecretShown = false
  let reads = 0

  const edited: EditedFile = {
    ...store,
    open({ secret = false } = {}) {
      isSecretShown ||= secret
      void start()
      return watch.watch(folderOf(path), (names) => {
        if (names === undefined || names.includes(nameOf(path))) void look()
      })
    },
    reload: async ({ secret = false } = {}) => {
      isSecretShown ||= secret
      await look()
    },
    connect(given) {
      text = given
    },
    initialText: () => unsaved ?? getState().file?.text ?? '',
    changed() {
      const isDirty = now() !== (getState().file?.text ?? '')
      if (isDirty !== getState().isDirty) setState({ isDirty })
      clearTimeout(timer)
      timer = setTimeout(keepDraft, draftMs)
    },
    save,
    discard() {
      const { file, conflict } = getState()
      const current = conflict === undefined ? file : (conflict.current ?? undefined)
      unsaved = undefined
      setState({ file: current ?? file, conflict: undefined, isDirty: false })
      text?.set(current?.text ?? '')
      void drafts.remove(folder, path)
    },
    resolve(merged) {
      const { conflict, file } = getState()
      if (conflict === undefined) return
      // A deleted file is created again by the next save.
      const base = conflict.current ?? (file && { ...file, text: '', version: undefined })
      setState({ file: base, conflict: undefined })
      text?.set(merged)
      edited.changed()
    },
    flush: keepDraft,
  }
  return edited

  function now(): string {
    return text?.get() ?? unsaved ?? getState().file?.text ?? ''
  }

  function keepDraft(): void {
    clearTimeout(timer)
    const { file, isDirty } = getState()
    if (file === undefined) return
    if (!isDirty) void drafts.remove(folder, path)
    else
      void drafts.write(folder, path, {
        text: now(),
        base: file.text ?? '',
        version: file.version ?? null,
        savedAt: Date.now(),
      })
  }

  async function start(): Promise<void> {
    const draft = await drafts.read(folder, path)
    const current = await read()
    if (draft === undefined || getState().isDirty) return
    if (current !== undefined && current.text === draft.text) return void drafts.remove(folder, path)
    if (current === undefined && getState().problem?.isMissing !== true) return
    unsaved = draft.text
    const base: FileContent = {
      path,
      kind: 'text',
      size: 0,
      modifiedAt: 0,
      encoding: 'utf-8',
      bom: false,
      ...current,
      text: draft.base,
      ...(draft.version !== null && { version: draft.version }),
    }
    const isStale = (current?.version ?? null) !== draft.version
    setState({
      file: base,
      problem: undefined,
      isDirty: true,
      conflict: isStale ? { current: current ?? null } : undefined,
    })
    text?.set(draft.text)
  }

  /** Reads the file for the first time, or again after a problem. */
  async function read(): Promise<FileContent | undefined> {
    const mine = ++reads
    try {
      const { file } = await api.fileContent(path, { secret: isSecretShown })
      if (mine === reads) setState({ file, problem: undefined })
      return file
    } catch (error) {
      if (mine === reads) setState({ problem: problemOf(error) })
      return undefined
    }
  }

  /** The file may have changed on disk. */
  async function look(): Promise<void> {
    const { file, isDirty, isSaving } = getState()
    if (file === undefined) return void (await read())
    if (isSaving) return
    const mine = ++reads
    let current: FileContent | null
    try {
      current = (await api.fileContent(path, { secret: isSecretShown })).file
    } catch (error) {
      const problem = problemOf(error)
      // A lost connection says nothing about the file.
      if (!problem.isMissing) return
      current = null
    }
    const state = getState()
    if (mine !== reads || state.isSaving || current?.version === state.file?.version) return
    if (state.isDirty || isDirty) setState({ conflict: { current } })
    else if (current === null) setState({ problem: { message: '', isSecret: false, isMissing: true } })
    else {
      setState({ file: current, problem: undefined })
      text?.set(current.text ?? '')
    }
  }

  async function save({ over = false } = {}): Promise<boolean> {
    const { file, conflict, isSaving, isDirty } = getState()
    if (file === undefined || isSaving || (!isDirty && !over)) return false
    if (conflict !== undefined && !over) return false
    const base = over && conflict !== undefined ? conflict.current : file
    const saved = now()
    setState({ isSaving: true })
    try {
      const { encoding = 'utf-8', bom = false } = file
      const version = base?.version ?? null
      const answer = await api.saveFile({ path, text: saved, version, encoding, bom })
      unsaved = undefined
      setState({
        file: { ...file, ...answer.file, kind: 'text', text: saved },
        conflict: undefined,
        problem: undefined,
      })
      edited.changed()
      keepDraft()
      return true
    } catch (error) {
      if (!(error instanceof ApiError) || error.name !== 'FileChanged') throw error
      const { current } = error.data
      setState({ conflict: { current: isRecord(current) ? (current as FileContent) : null } })
      return false
    } finally {
      setState({ isSaving: false })
    }
  }
}

function problemOf(error: unknown): NonNullable<EditedState['problem']> {
  const name = error instanceof ApiError ? error.name : ''
  return { message: toErrorInfo(error).message, isSecret: name === 'SecretFile', isMissing: name === 'FileNotFound' }
}
