import type { Workspace } from './records.ts'

/** Identifies a workspace together with the project of a session. */
export function scopeOf({ id, projects }: Pick<Workspace, 'id' | 'projects'>): string {
  return sessionScope({ workspaceId: id, projectId: projects?.at(-1)?.id ?? null })
}

export function sessionScope({ workspaceId, projectId }: { workspaceId: string; projectId?: string | null }): string {
  return projectId == null ? workspaceId : `${workspaceId} ${projectId}`
}
