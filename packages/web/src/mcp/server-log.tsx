import { useId, useState } from 'react'
import { toErrorInfo } from '../api/api-error.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { useWorkspace } from '../workspace.ts'

/** The end of what a server has printed and said, when it is asked for. */
export function ServerLog({ name }: { name: string }) {
  const { api } = useWorkspace()
  const [shown, setShown] = useState<string | null>(null)
  const logId = useId()
  const read = async () => {
    try {
      const { log } = await api.mcpLog(name)
      setShown(log.trim() === '' ? t.mcp.saidNothing : log)
    } catch (error) {
      setShown(toErrorInfo(error).message)
    }
  }
  return (
    <section className="mcp-log" aria-label={t.mcp.logOf(name)}>
      <Button
        kind="quiet"
        aria-expanded={shown !== null}
        aria-controls={logId}
        onClick={() => (shown === null ? void read() : setShown(null))}
      >
        {shown === null ? t.mcp.showLog : t.mcp.hideLog}
      </Button>
      {shown !== null && (
        <Button kind="quiet" onClick={() => void read()}>
          {t.mcp.readAgain}
        </Button>
      )}
      <div id={logId} hidden={shown === null}>
        {shown !== null && (
          <pre tabIndex={0} aria-label={t.mcp.saidBy(name)}>
            <VisibleText text={shown} />
          </pre>
        )}
      </div>
    </section>
  )
}
