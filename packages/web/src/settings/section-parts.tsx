import { TriangleAlert } from 'lucide-react'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react'
import { toErrorInfo } from '../api/request.ts'
import { noticeError } from '../state/notices.tsx'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { TrustButton } from './trust-button.tsx'

export function SettingRow(props: { id: string; title: string; about?: string; children: ReactNode }) {
  const { id, title, about, children } = props
  return (
    <div className="setting" data-setting={id}>
      <div className="setting-text">
        <h3>{title}</h3>
        {about !== undefined && <p>{about}</p>}
      </div>
      {children}
    </div>
  )
}

interface SettingsPane {
  close: () => void
  toTop: () => void
}

export const SettingsContext = createContext<SettingsPane>({ close: () => undefined, toTop: () => undefined })

export function useSettingsPane(): SettingsPane {
  return useContext(SettingsContext)
}

interface State<Value> {
  value: Value | null
  failure: string | null
}

export interface ServerData<Value> extends State<Value> {
  again: () => Promise<void>
  /** Shows what a change has returned, instead of asking again. */
  show(value: Value): void
}

/** Loads data from the server once and on request. `ask` must be stable. */
export function useServerData<Value>(ask: () => Promise<Value>): ServerData<Value> {
  const [state, setState] = useState<State<Value>>({ value: null, failure: null })
  const asked = useRef(0)
  const again = useCallback(() => {
    // A slow answer must not replace that of a later request.
    const mine = ++asked.current
    const show = (next: (was: State<Value>) => State<Value>) => {
      if (mine === asked.current) setState(next)
    }
    return ask().then(
      (value) => show(() => ({ value, failure: null })),
      (error: unknown) => show(({ value }) => ({ value, failure: toErrorInfo(error).message })),
    )
  }, [ask])
  const show = useCallback((value: Value) => {
    asked.current++
    setState({ value, failure: null })
  }, [])
  useEffect(() => void again(), [again])
  return { ...state, again, show }
}

export function ServerDataStatus({ asked: { value, failure } }: { asked: ServerData<unknown> }) {
  if (failure !== null) return <ActionFailure failure={failure} />
  return value === null ? <p className="settings-note">{t.ui.loading}</p> : null
}

/** Changes the data on the server, then reads it again. */
export function useServerAction(asked: ServerData<unknown>): {
  act: (work: () => Promise<unknown>) => Promise<void>
  failure: string | null
} {
  const [failure, setFailure] = useState<string | null>(null)
  const act = async (work: () => Promise<unknown>) => {
    try {
      await work()
      setFailure(null)
    } catch (error) {
      setFailure(toErrorInfo(error).message)
    }
    await asked.again()
  }
  return { act, failure }
}

/** Only there with a text: an empty alert has no meaning. */
export function ActionFailure({ failure }: { failure: string | null }) {
  if (failure === null) return null
  return (
    <p className="settings-failure" role="alert">
      {failure}
    </p>
  )
}

interface FileProblem {
  path: string
  line?: number
  message: string
}

export function ProblemList({ title, problems }: { title: string; problems: readonly FileProblem[] }) {
  if (problems.length === 0) return null
  return (
    <section className="settings-problems" aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {problems.map(({ path, line, message }) => (
          <li key={`${path} ${line} ${message}`}>
            <TriangleAlert aria-hidden />
            <span>
              <code>
                <VisibleText text={path} as="name" />
                {line !== undefined && `, ${t.settings.skills.line(line)}`}
              </code>
              <br />
              <VisibleText text={translateServerText(message, 'text')} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Toggles trust in configuration that the workspace folder brings. */
export function TrustRow({ onChanged }: { onChanged: () => Promise<void> }) {
  const { api } = useWorkspace()
  const asked = useServerData(useCallback(() => api.workspace(), [api]))
  const trusted = asked.value?.workspace?.trusted
  if (trusted === undefined) return null
  const again = async () => void (await Promise.all([asked.again(), onChanged()]))
  const stopTrusting = () =>
    api
      .trustWorkspace(false)
      .then(again)
      .catch((error: unknown) => noticeError(error))
  return (
    <SettingRow
      id="trust"
      title={t.settings.trust.title}
      about={trusted ? t.settings.trust.trusted : t.settings.trust.untrusted}
    >
      {trusted ? (
        <Button onClick={() => void stopTrusting()}>{t.settings.trust.take}</Button>
      ) : (
        <TrustButton onTrusted={again} />
      )}
    </SettingRow>
  )
}
