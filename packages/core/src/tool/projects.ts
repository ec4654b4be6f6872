/** A folder inside a workspace with its own notes, skills, agents, rules, MCP servers and default model. */
export interface ProjectInfo {
  id: string
  name: string
  /** Absolute. */
  path: string
  parentProjectId: string | null
}

/** Contents of a project folder. They have no effect in an untrusted workspace. */
export interface ProjectFacts extends ProjectInfo {
  trusted: boolean
  notes: string[]
  skills: string[]
  agents: string[]
  rules: number
  mcpServers: string[]
  model: string | null
}

export interface Projects {
  list(): Promise<ProjectInfo[]>
  /** Opens a folder of the workspace as a project. The default name is that of the folder. */
  open(path: string, name?: string): Promise<ProjectInfo>
  /**
   * Forgets a project. Its files and chats stay. Throws `ProjectNotFound` (404), and `ProjectBusy` (409) while a run
   * works in it.
   */
  forget(id: string): Promise<void>
  describe(project: ProjectInfo): Promise<ProjectFacts>
}
