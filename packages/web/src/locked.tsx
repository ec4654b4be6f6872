import { KeyRound, ServerOff } from 'lucide-react'
import { useState } from 'react'
import { keyFrom } from './address.ts'
import { Button } from './ui/button.tsx'
import { focusField } from './ui/focus-field.ts'
import { useWorkspace } from './workspace.ts'
import './locked.css'

/** The page has no cookie that the server knows: only the address that the server printed opens it. */
export function Locked() {
  const { app } = useWorkspace()
  const [pasted, setPasted] = useState('')
  const [tried, setTried] = useState(false)
  const key = keyFrom(pasted)
  return (
    <main className="locked">
      <KeyRound aria-hidden />
      <h1>This page is locked</h1>
      <p>
        Troupe only opens for whoever can read its start-up message. Open the address that it printed in the terminal,
        or paste it here. Each address works once; <code>troupe serve</code> prints a new one.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (key === null) return
          void app.start(key).then(() => setTried(true))
        }}
      >
        <input
          aria-label="Address or key"
          placeholder="http://127.0.0.1:4880/#k=…"
          ref={focusField}
          autoComplete="off"
          spellCheck={false}
          value={pasted}
          onChange={(event) => setPasted(event.target.value)}
        />
        <Button type="submit" kind="primary" disabled={key === null}>
          Open
        </Button>
      </form>
      {tried && (
        <p className="locked-refused" role="alert">
          The server did not take this key. It may have been used already.
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
      <h1>The server does not answer</h1>
      <p>
        Start it again with <code>npm start</code> or <code>troupe serve</code>. Nothing is lost: sessions and runs are
        kept on disk, and this page will find them.
      </p>
      <Button kind="primary" onClick={() => void app.start(null)}>
        Try again
      </Button>
    </main>
  )
}
