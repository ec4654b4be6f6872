import { pageAccess } from '../../api/page-access.ts'
import { type TeamPage, useTeam } from '../../state/team.tsx'

/** Asks who is signed in, and renews the key of signed links. Undefined if nobody is, or if there are no accounts. */
export async function readPerson(): Promise<TeamPage['person'] | undefined> {
  const me = await pageAccess.me()
  if (me.mode !== 'team') {
    pageAccess.forget()
    return undefined
  }
  pageAccess.useCookie(me)
  return me.person ?? undefined
}

/** After a change of the account. */
export async function refreshPerson(): Promise<void> {
  const person = await readPerson()
  useTeam.setState(({ page }) => ({ page: page === null || person === undefined ? page : { ...page, person } }))
}
