import { type ReactNode, useCallback } from 'react'
import { TextEditor } from '../instructions/text-editor.tsx'
import { ServerDataStatus, useServerData } from '../settings/section-parts.tsx'
import { useWorkspace } from '../workspace/workspace.ts'

interface AgentFileEditorProps {
  path: string
  onSaved: () => void
  children: ReactNode
}

/** Edits the Markdown file of an agent, also one that is not valid. */
export function AgentFileEditor({ path, onSaved, children }: AgentFileEditorProps) {
  const { api } = useWorkspace()
  const asked = useServerData(useCallback(() => api.agentFile(path), [api, path]))
  if (asked.value === null) return <ServerDataStatus asked={asked} />
  return (
    <div className="text-editor-code">
      <TextEditor
        label={path}
        stored={asked.value}
        isSent={false}
        onReload={asked.again}
        onSave={async (text, version) => {
          const saved = await api.changeAgentFile({ path, text, version })
          asked.show(saved)
          onSaved()
          return saved
        }}
        buttons={() => children}
      />
    </div>
  )
}
