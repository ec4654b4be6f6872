import { type ComponentProps, type ReactNode, type SubmitEvent, useState } from 'react'
import { ApiError, toErrorInfo } from '../../api/request.ts'
import '../../texts/show-team.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { Logo } from '../../ui/elements.tsx'
import { focusOnMount } from '../../ui/focus.ts'
import './access.css'

/** A page of its own, before the app: one card with a heading. */
export function AccessPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="access">
      <div className="access-brand">
        <Logo />
        <strong>Troupe</strong>
      </div>
      <section className="access-card" aria-label={title}>
        <h1>{title}</h1>
        {children}
      </section>
    </main>
  )
}

interface FieldProps extends Omit<ComponentProps<'input'>, 'onChange' | 'value'> {
  label: string
  value: string
  hint?: string
  onChange: (value: string) => void
}

export function AccessField({ label, hint, onChange, ...input }: FieldProps) {
  return (
    <label>
      {label}
      <input spellCheck={false} {...input} onChange={({ target }) => onChange(target.value)} />
      {hint !== undefined && <small>{hint}</small>}
    </label>
  )
}

export function AccessFailure({ text }: { text: string | null }) {
  if (text === null) return null
  return (
    <p className="access-failure" role="alert">
      {text}
    </p>
  )
}

interface AccessFormProps {
  /** The button. */
  submit: string
  /** A request that fails with one of `known` shows its text. */
  onSubmit: () => Promise<unknown>
  known?: Readonly<Record<string, string>>
  className?: string
  children: ReactNode
}

/** A form of one request: fields, the reason why it failed, and one button. */
export function AccessForm({ submit, onSubmit: work, known, className = '', children }: AccessFormProps) {
  const { busy, failure, attempt } = useAttempt()
  return (
    <form className={`access-form ${className}`} onSubmit={onSubmit(() => attempt(work, known))}>
      {children}
      <AccessFailure text={failure} />
      <Button type="submit" kind="primary" disabled={busy}>
        {submit}
      </Button>
    </form>
  )
}

type CodeFormProps = Omit<AccessFormProps, 'children' | 'onSubmit'> &
  Pick<FieldProps, 'label' | 'inputMode' | 'autoComplete' | 'autoCapitalize'> & {
    initial?: string
    onSubmit: (code: string) => Promise<unknown>
  }

/** Asks for one code. */
export function CodeForm({ submit, known, initial = '', onSubmit: work, ...field }: CodeFormProps) {
  const [code, setCode] = useState(initial)
  return (
    <AccessForm submit={submit} {...(known && { known })} className="access-code" onSubmit={() => work(code)}>
      <AccessField {...field} required ref={focusOnMount} value={code} onChange={setCode} />
    </AccessForm>
  )
}

interface Attempt {
  busy: boolean
  failure: string | null
  attempt: (work: () => Promise<unknown>, known?: Readonly<Record<string, string>>) => Promise<boolean>
}

/** Runs a request of a form. `known` has texts for errors by name. Resolves with true if it succeeded. */
export function useAttempt(): Attempt {
  const [state, setState] = useState<{ busy: boolean; failure: string | null }>({ busy: false, failure: null })
  const attempt: Attempt['attempt'] = async (work, known = {}) => {
    setState({ busy: true, failure: null })
    try {
      await work()
      setState({ busy: false, failure: null })
      return true
    } catch (error) {
      setState({ busy: false, failure: failureText(error, known) })
      return false
    }
  }
  return { ...state, attempt }
}

function failureText(error: unknown, known: Readonly<Record<string, string>>): string {
  const { name, message } = toErrorInfo(error)
  if (error instanceof ApiError && error.status === 429) return t.team.signIn.tooMany
  return known[name] ?? message
}

/** Submits without leaving the page. */
export function onSubmit(work: () => unknown): (event: SubmitEvent) => void {
  return (event) => {
    event.preventDefault()
    void work()
  }
}

/** Opens the app as the person who just signed in. Nothing of the page before is kept. */
export function openApp(hash = ''): void {
  window.history.replaceState(null, '', `/${hash}`)
  window.location.reload()
}
