import { Check, Monitor, Moon, Plug, Settings, ShieldAlert, Sun } from 'lucide-react'
import { useCallback } from 'react'
import { needsUser } from '../mcp/server-status.ts'
import { keyText } from '../platform/keyboard.ts'
import { TeamPart, useMay, useTeam } from '../state/team.tsx'
import { t } from '../texts/t.ts'
import { setTheme, useTheme } from '../ui/appearance.ts'
import { IconButton } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import { useCountOnFocus } from '../ui/focus.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import './mcp-button.css'
import './rules-button.css'

/** One row for the person: settings, connections, theme. */
export function SidebarFoot() {
  const isTeam = useTeam((state) => state.page !== null)
  const mayManage = useMay('manage')
  return (
    <footer className="sidebar-foot">
      <div className="foot-row">
        {isTeam ? <TeamPart part="PersonMenu" /> : <SettingsButton />}
        {mayManage && <SandboxWarning />}
        {mayManage && <McpButton />}
        <ThemeButton />
      </div>
    </footer>
  )
}

function SettingsButton() {
  const { app } = useWorkspace()
  return (
    <button
      type="button"
      className="foot-settings"
      aria-haspopup="dialog"
      title={keyText('Mod+,')}
      onClick={() => app.openSettings()}
    >
      <Settings aria-hidden />
      {t.settings.title}
    </button>
  )
}

const themes = ['system', 'light', 'dark'] as const
const themeIcons = { system: Monitor, light: Sun, dark: Moon }

function ThemeButton() {
  const theme = useTheme()
  const Icon = themeIcons[theme]
  return (
    <Menu
      align="end"
      trigger={
        <button type="button" className="icon-button" aria-label={t.ui.theme(t.ui.themes[theme])}>
          <Icon />
        </button>
      }
      items={themes.map((one) => {
        const Own = one === theme ? Check : themeIcons[one]
        return { label: t.ui.themes[one], icon: <Own aria-hidden />, onSelect: () => setTheme(one) }
      })}
    />
  )
}

/** Opens the MCP settings. Marked if a server needs the user. */
function McpButton() {
  const { app } = useWorkspace()
  const waiting = useServersNeedingUser()
  return (
    <IconButton
      className="mcp-button"
      label={waiting === 0 ? t.mcp.title : t.mcp.titleWaiting(waiting)}
      aria-haspopup="dialog"
      onClick={() => app.openSettings('mcp')}
    >
      <Plug />
      {waiting > 0 && <span className="mcp-waiting" aria-hidden />}
    </IconButton>
  )
}

function useServersNeedingUser(): number {
  const { api } = useWorkspace()
  const isLookedAt = useApp((state) => state.dialog === 'settings')
  const count = useCallback(async () => (await api.mcp()).servers.filter(needsUser).length, [api])
  return useCountOnFocus(count, isLookedAt)
}

/** Shown only if commands are not sandboxed. Opens the rules. */
function SandboxWarning() {
  const { app } = useWorkspace()
  const unconfined = useApp((state) => state.permissions?.sandbox.available === false)
  if (!unconfined) return null
  return (
    <IconButton
      className="rules-button-bad"
      label={t.rules.titleUnconfined}
      aria-haspopup="dialog"
      onClick={() => app.openSettings('rules')}
    >
      <ShieldAlert />
    </IconButton>
  )
}
