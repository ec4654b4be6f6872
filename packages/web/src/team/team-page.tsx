import { createApi } from '../api/api.ts'
import { pageAccess } from '../api/page-access.ts'
import { createRequest } from '../api/request.ts'
import { addSections } from '../settings/sections.ts'
import { useTeam } from '../state/team.tsx'
import '../texts/show-team.ts'
import { t } from '../texts/t.ts'
import { onTeamEvent } from './chat-people.ts'
import { CommentButton, CommentThread } from './comments.tsx'
import { MessageAuthor } from './message-author.tsx'
import { readPerson } from './parts/person.ts'
import { PersonMenu } from './person-menu.tsx'
import { teamSections } from './settings/sections.ts'
import { SharePeople } from './share-people.tsx'
import { SharedChats } from './shared-chats.tsx'
import { ChatWatchers } from './watchers.tsx'

const parts = { PersonMenu, SharedChats, ChatWatchers, CommentButton, CommentThread, MessageAuthor, SharePeople }

const api = createApi(
  createRequest(
    (...given) => window.fetch(...given),
    () => undefined,
    () => undefined,
    pageAccess,
  ),
)

/** Reads who is signed in and adds to the page what a team needs. */
export async function openTeamPage(): Promise<void> {
  const person = await readPerson()
  if (person === undefined) return
  const isViewer = person.role === 'viewer'
  addSections(teamSections(person.role))
  useTeam.setState((state) => ({
    page: { person, parts, onEvent: (sessionId, event) => onTeamEvent(api, sessionId, event) },
    readOnly: { ...state.readOnly, ...(isViewer && { '*': t.team.shared.viewer }) },
    noApproval: { ...state.noApproval, ...(isViewer && { '*': t.team.shared.noApproval }) },
  }))
}
