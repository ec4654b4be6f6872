/**
 * Places whose content decides what runs or what is allowed later. Names of files or folders, with everything in
 * them, or the last names of a path; wherever they lie. Case never matters.
 */

/** Writing there asks even when a rule allows it: nobody may widen the rules by writing them. Our home belongs here too. */
export const strictPlaces: readonly string[] = ['.troupe', '.mcp.json']

/** Writing there asks even when edits are accepted; a rule that names the place allows it. */
export const guardedPlaces: readonly string[] = [
  '.git',
  '.gitconfig',
  '.gitmodules',
  '.hg',
  '.svn',
  '.agents',
  '.claude',
  '.claude.json',
  '.codex',
  '.cursor',
  '.gemini',
  '.vscode',
  '.idea',
  '.zed',
  '.devcontainer',
  '.husky',
  '.pre-commit-config.yaml',
  '.envrc',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pypirc',
  '.ripgreprc',
  '.vimrc',
  '.tmux.conf',
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.inputrc',
  '.ssh',
  '.config/fish',
  '.config/git',
  '.config/autostart',
  '.config/systemd',
  'Library/LaunchAgents',
]
