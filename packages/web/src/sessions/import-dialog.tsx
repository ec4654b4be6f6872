import { FileUp } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { toErrorInfo } from '../api/request.ts'
import { formatPercent } from '../texts/format.ts'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import './import-dialog.css'

type State =
  | { step: 'choosing'; failure?: string }
  | { step: 'reading'; name: string; progress?: ImportProgress }
  | { step: 'done'; report: ImportReport }

export function ImportDialog() {
  const { app, api } = useWorkspace()
  const dialog = useRef<HTMLDialogElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const stop = useRef<AbortController>(undefined)
  const [state, setState] = useState<State>({ step: 'choosing' })
  const [over, setOver] = useState(false)
  useEffect(() => () => stop.current?.abort(), [])

  const start = async (file: File | undefined) => {
    if (file === undefined) return
    const own = new AbortController()
    stop.current = own
    setState({ step: 'reading', name: file.name })
    try {
      const response = await api.importFile(file, own.signal)
      if (response.body === null) throw new Error(t.ui.notLoaded)
      const report = await readImport(response.body, (progress) =>
        setState({ step: 'reading', name: file.name, progress }),
      )
      setState({ step: 'done', report })
    } catch (error) {
      const failure = own.signal.aborted ? t.sessions.importStopped : toErrorInfo(error).message
      setState({ step: 'choosing', failure })
    }
    await app.refresh()
  }

  return (
    <Dialog ref={dialog} title={t.sessions.importTitle} className="import-dialog" onClose={() => app.setDialog(null)}>
      {state.step === 'choosing' && (
        <>
          <p className="dialog-text">{t.sessions.importText}</p>
          {state.failure !== undefined && (
            <p className="import-failure" role="alert">
              {state.failure}
            </p>
          )}
          <div
            className="import-drop"
            data-over={over}
            onDragOver={(event) => {
              event.preventDefault()
              setOver(true)
            }}
            onDragLeave={() => setOver(false)}
            onDrop={(event) => {
              event.preventDefault()
              setOver(false)
              void start(event.dataTransfer.files[0])
            }}
          >
            <FileUp aria-hidden />
            <Button kind="primary" onClick={() => picker.current?.click()}>
              {t.sessions.importPick}
            </Button>
            <span>{t.sessions.importDrop}</span>
            <input
              ref={picker}
              type="file"
              hidden
              accept=".json,.zip,.jsonl,application/json,application/zip"
              onChange={(event) => void start(event.target.files?.[0])}
            />
          </div>
        </>
      )}
      {state.step === 'reading' && <Reading state={state} />}
      {state.step === 'done' && <Report report={state.report} />}
      <div className="dialog-buttons">
        {state.step === 'reading' && <Button onClick={() => stop.current?.abort()}>{t.sessions.importStop}</Button>}
        {state.step === 'done' && (
          <Button onClick={() => setState({ step: 'choosing' })}>{t.sessions.importAgain}</Button>
        )}
        {state.step !== 'reading' && <Button onClick={() => dialog.current?.close()}>{t.ui.close}</Button>}
        {state.step === 'done' && state.report.sessions[0] !== undefined && (
          <Button
            kind="primary"
            onClick={() => {
              const [first] = state.report.sessions
              dialog.current?.close()
              if (first !== undefined) app.select(first.sessionId)
            }}
          >
            {t.sessions.importOpen}
          </Button>
        )}
      </div>
    </Dialog>
  )
}

function Reading({ state: { name, progress } }: { state: Extract<State, { step: 'reading' }> }) {
  const share = progress === undefined ? undefined : formatPercent(progress.bytes, progress.of)
  return (
    <output className="import-reading">
      <p>{t.sessions.importReading(name)}</p>
      <progress value={progress?.bytes} max={progress?.of} aria-label={t.sessions.importTitle} />
      <p>{share === undefined ? '' : t.sessions.importProgress(share, progress?.sessions ?? 0)}</p>
    </output>
  )
}

function Report({ report: { sessions, problems } }: { report: ImportReport }) {
  const count = (state: ImportReport['sessions'][number]['state']) =>
    sessions.filter((session) => session.state === state).length
  const conflicts = sessions.reduce((sum, session) => sum + session.conflicts, 0)
  const lines = [
    ...(count('added') > 0 || sessions.length === 0 ? [t.sessions.importAdded(count('added'))] : []),
    ...(count('grown') > 0 ? [t.sessions.importUpdated(count('grown'))] : []),
    ...(count('known') > 0 ? [t.sessions.importUnchanged(count('known'))] : []),
    ...(conflicts > 0 ? [t.sessions.importConflicts(conflicts)] : []),
  ]
  return (
    <output className="import-report">
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {problems.length > 0 && (
        <details open={problems.length < 6}>
          <summary>{t.sessions.importProblems(problems.length)}</summary>
          <ul>
            {problems.slice(0, 500).map(({ where, message }, index) => (
              <li key={index}>
                <strong>{where}</strong>: {translateServerText(message, 'text')}
              </li>
            ))}
          </ul>
        </details>
      )}
    </output>
  )
}

interface ImportReport {
  sessions: {
    sessionId: string
    title: string
    source: string
    state: 'added' | 'grown' | 'known'
    conflicts: number
  }[]
  problems: { where: string; message: string }[]
}

interface ImportProgress {
  bytes: number
  of: number
  sessions: number
}

/** Returns the final report of an import. Reports progress as it streams. */
async function readImport(
  body: ReadableStream<Uint8Array>,
  onProgress: (progress: ImportProgress) => void,
): Promise<ImportReport> {
  const decoder = new TextDecoder()
  let rest = ''
  for (const reader = body.getReader(); ;) {
    const { done, value } = await reader.read()
    rest += decoder.decode(value, { stream: !done })
    const lines = rest.split('\n')
    rest = done ? '' : (lines.pop() ?? '')
    for (const line of lines) {
      if (line.trim() === '') continue
      const said = JSON.parse(line) as { progress?: ImportProgress; report?: ImportReport; error?: { message: string } }
      if (said.error !== undefined) throw new Error(said.error.message)
      if (said.report !== undefined) return said.report
      if (said.progress !== undefined) onProgress(said.progress)
    }
    if (done) throw new Error(t.sessions.importCut)
  }
}
