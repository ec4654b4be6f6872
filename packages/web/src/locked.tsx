import { KeyRound, ServerOff } from 'lucide-react'
import { useState } from 'react'
import { readAccessKey } from './address.ts'
import { formatElements } from './texts/sentence.tsx'
import { t } from './texts/t.ts'
import { Button } from './ui/button.tsx'
import { focusOnMount } from './ui/focus-field.ts'
import { useApp, useWorkspace } from './workspace.ts'
import './locked.css'

/** The page has no credential that the server knows: only the address that the server printed opens it. */
export function Locked() {
  const { app } = useWorkspace()
  const [pasted, setPasted] = useState('')
  const isRefused = useApp((state) => state.isKeyRefused)
  const key = readAccessKey(pasted)
  return (
    <main className="locked">
      <KeyRound aria-hidden />
      <h1>{t.locked.title}</h1>
      <p>{formatElements(t.locked.text, { command: <code>npm start</code> })}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (key === null) return
          void app.start(key)
        }}
      >
        <input
          aria-label={t.locked.field}
          placeholder="http://127.0.0.1:4880/#k=…"
          ref={focusOnMount}
          autoComplete="off"
          spellCheck={false}
          value={pasted}
          onChange={(event) => setPasted(event.target.value)}
        />
        <Button type="submit" kind="primary" disabled={key === null}>
          {t.locked.open}
        </Button>
      </form>
      {isRefused && (
        <p className="locked-refused" role="alert">
          {t.locked.refused}
        </p>
      )}
    </main>
  )
}

export function Unreachable() {
  const { app } = useWorkspace()
  return (
    <main className="locked">
      <ServerOff aria-hidden />
      <h1>{t.locked.away}</h1>
      <p>{formatElements(t.locked.startAgain, { npm: <code>npm start</code>, troupe: <code>troupe serve</code> })}</p>
      <Button kind="primary" onClick={() => void app.start(null)}>
        {t.locked.tryAgain}
      </Button>
    </main>
  )
}
