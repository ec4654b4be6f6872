import { Check, Settings2 } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { type ReactElement, useEffect, useState } from 'react'
import { toErrorInfo } from '../api/request.ts'
import type { AgentInfo } from '../api/session-types.ts'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { PickerMenu } from './picker-menu.tsx'

interface AgentMenuProps {
  name: string
  trigger: ReactElement
  onClosed: () => void
}

export function AgentMenu({ name, trigger, onClosed }: AgentMenuProps) {
  const { api, app } = useWorkspace()
  const [agents, setAgents] = useState<AgentInfo[] | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  useEffect(() => {
    api.agents().then(
      (list) => setAgents(list.agents.filter(({ enabled, hidden }) => enabled && hidden !== true)),
      (error: unknown) => setFailure(toErrorInfo(error).message),
    )
  }, [api])
  const offered = (agents ?? []).toSorted(
    (one, other) => Number(other.name === 'master') - Number(one.name === 'master'),
  )
  return (
    <PickerMenu
      trigger={trigger}
      label={t.agents.choose}
      className="agent-menu"
      settings={{ section: 'agents', label: t.agents.manage, icon: <Settings2 aria-hidden /> }}
      isLoading={agents === null && failure === null}
      onClosed={onClosed}
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
    </PickerMenu>
  )
}
