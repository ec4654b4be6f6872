import { AtSign, Gauge, LogOut, Settings, UserRound, UsersRound } from 'lucide-react'
import { useCallback, useState } from 'react'
import { pageAccess } from '../api/page-access.ts'
import { browserStorage, storedKeys, tabStorage } from '../platform/storage.ts'
import { noticeError } from '../state/notices.tsx'
import { useTeam } from '../state/team.tsx'
import { formatNumber } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { Menu } from '../ui/menu.tsx'
import { useCountOnFocus } from '../ui/focus.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { openApp } from './parts/access-page.tsx'
import { Avatar } from './parts/avatar.tsx'
import { MentionsDialog } from './mentions-dialog.tsx'
import './person-menu.css'

/** Name and role of the person, with their settings and the way out. */
export function PersonMenu() {
  const { api, app } = useWorkspace()
  const person = useTeam((state) => state.page?.person)
  const [showsMentions, setShowsMentions] = useState(false)
  const news = useNewMentions(showsMentions)
  if (person === undefined) return null
  const role = t.team.roles[person.role]
  const isManager = person.role === 'owner' || person.role === 'admin'
  const signOut = async () => {
    try {
      await api.call('POST /ai/account/sign-out')
    } catch (error) {
      return noticeError(error)
    }
    forgetPerson()
    openApp()
  }
  return (
    <>
      <Menu
        align="start"
        trigger={
          <button type="button" className="foot-settings person-button">
            <Avatar name={person.name} />
            {news > 0 && <span className="person-news" aria-hidden />}
            <span className="person-name">
              <span dir="auto">{person.name}</span>
              <small>{role}</small>
              {news > 0 && <span className="visually-hidden">{t.team.mentions.count(news)}</span>}
            </span>
          </button>
        }
        items={[
          { label: t.settings.title, icon: <Settings aria-hidden />, onSelect: () => app.openSettings() },
          { label: t.team.menu.account, icon: <UserRound aria-hidden />, onSelect: () => app.openSettings('account') },
          { label: t.team.menu.members, icon: <UsersRound aria-hidden />, onSelect: () => app.openSettings('members') },
          {
            label: t.team.menu.mentions,
            icon: <AtSign aria-hidden />,
            hint: news > 0 ? formatNumber(news) : undefined,
            onSelect: () => setShowsMentions(true),
          },
          ...(isManager
            ? [
                {
                  label: t.team.menu.admin,
                  icon: <Gauge aria-hidden />,
                  onSelect: () => app.openSettings('operations'),
                },
              ]
            : []),
          {
            label: t.team.menu.signOut,
            icon: <LogOut aria-hidden />,
            startsGroup: true,
            onSelect: () => void signOut(),
          },
        ]}
      />
      {showsMentions && <MentionsDialog onClose={() => setShowsMentions(false)} />}
    </>
  )
}

/** Counts mentions that the person has not seen. */
function useNewMentions(isLookedAt: boolean): number {
  const { api } = useWorkspace()
  const count = useCallback(async () => {
    const { mentions } = await api.call('GET /ai/mentions')
    return mentions.filter(({ seen }) => !seen).length
  }, [api])
  return useCountOnFocus(count, isLookedAt)
}

const keptKeys = /^troupe\.(language|theme|text|contrast|motion)$/

/** Drafts, queued messages and choices are the person's. The next one must not find them. */
function forgetPerson(): void {
  pageAccess.forget()
  for (const key of storedKeys()) if (key.startsWith('troupe.') && !keptKeys.test(key)) browserStorage.set(key, null)
  for (const kind of ['invite', 'device', 'share', 'setup']) tabStorage.set(`troupe.link.${kind}`, null)
}
