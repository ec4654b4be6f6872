import { noticeError } from '../state/notices.tsx'

/** Loads team mode. Without it, the page still shows the chats. */
export async function startTeam(): Promise<void> {
  try {
    await (await import('../team/team-page.tsx')).openTeamPage()
  } catch (error) {
    noticeError(error)
  }
}
