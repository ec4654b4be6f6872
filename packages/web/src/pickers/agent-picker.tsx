import { Bot, Check, Settings2 } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useRef, useState } from 'react'
import { toErrorInfo } from '../api/request.ts'
import type { AgentInfo } from '../api/session-types.ts'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { sessionAgent } from '../workspace/app-state.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import './picker-trigger.css'
import './agent-picker.css'

/** Selects the session's agent before its first message. Afterwards shows it, unless it is the master. */
export function AgentPicker() {
  const isNew = useApp((state) => state.isNew)
  const name = useApp(sessionAgent)
  if (isNew) return <Picker name={name ?? 'master'} />
  if (name === null || name === 'master') return null
  return (
    <span className="picker-trigger agent-trigger" data-chosen>
      <Bot aria-hidden />
      <span className="visually-hidden">{t.agents.picked('')}</span>
      <span className="agent-trigger-name">
        <VisibleText text={name} as="name" />
      </span>
    </span>
  )
}

function Picker({ name }: { name: string }) {
  const { api, app } = useWorkspace()
  const [agents, setAgents] = useState<AgentInfo[]>([])
  const [failure, setFailure] = useState<string | null>(null)
  const opensSettings = useRef(false)
  const read = () =>
    void api.agents().then(
      (list) => {
        setAgents(list.agents.filter(({ enabled, hidden }) => enabled && hidden !== true))
        setFailure(null)
      },
      (error: unknown) => setFailure(toErrorInfo(error).message),
    )
  const isMaster = name === 'master'
  const offered = agents.toSorted((one, other) => Number(other.name === 'master') - Number(one.name === 'master'))
  return (
    <DropdownMenu.Root modal={false} onOpenChange={(open) => open && read()}>
      <DropdownMenu.Trigger
        className="picker-trigger agent-trigger"
        data-chosen={isMaster ? undefined : ''}
        aria-label={t.agents.picked(name)}
      >
        <Bot aria-hidden />
        {!isMaster && (
          <span className="agent-trigger-name">
            <VisibleText text={name} as="name" />
          </span>
        )}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className="menu agent-menu"
          side="top"
          align="start"
          sideOffset={8}
          collisionPadding={10}
          aria-label={t.agents.choose}
          onCloseAutoFocus={() => {
            // Wait until the trigger has the focus, so that the dialog restores it there.
            if (opensSettings.current) setTimeout(() => app.openSettings('agents'))
            opensSettings.current = false
          }}
        >
          {failure !== null && <p className="agent-menu-failure">{failure}</p>}
          <DropdownMenu.RadioGroup
            className="agent-menu-list"
            value={name}
            onValueChange={(chosen) => app.chooseAgent(chosen === 'master' ? null : chosen)}
          >
            {offered.map((agent) => (
              <DropdownMenu.RadioItem key={agent.name} value={agent.name} className="menu-item agent-item">
                <span className="agent-item-name">
                  <VisibleText text={agent.name} as="name" />
                  <DropdownMenu.ItemIndicator>
                    <Check aria-hidden />
                  </DropdownMenu.ItemIndicator>
                </span>
                <span className="agent-item-about">
                  <VisibleText text={translateServerText(agent.description, 'text')} />
                </span>
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
          <DropdownMenu.Separator className="agent-menu-rule" />
          <DropdownMenu.Item className="menu-item" onSelect={() => void (opensSettings.current = true)}>
            <Settings2 aria-hidden />
            {t.agents.manage}
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
