/**
 * Files that are not read unasked, wherever they lie, because keys and passwords stand in them. Globs for one name,
 * or for the last names of a path. Case never matters.
 */
export const secretFiles: readonly string[] = [
  '.env',
  '.env.*',
  '*.env',
  '.envrc',
  '.netrc',
  '_netrc',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.git-credentials',
  '.htpasswd',
  '.dockercfg',
  '.docker/config.json',
  '.vault-token',
  '.terraformrc',
  '.s3cfg',
  '.boto',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.config/gh/hosts.yml',
  '.config/hub',
  'credentials',
  'credentials.{json,yml,yaml,ini,toml,csv,xml}',
  'secrets.{json,yml,yaml,ini,toml}',
  'service-account*.json',
  'service_account*.json',
  'client_secret*.json',
  'id_rsa*',
  'id_dsa*',
  'id_ecdsa*',
  'id_ed25519*',
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '*.jks',
  '*.keystore',
  '*.kdbx',
  '*.ppk',
  '*.agekey',
  'etc/shadow',
  'etc/gshadow',
  'proc/*/environ',
]

/** Files that look like those and are made to be shown. */
const openFiles: readonly string[] = [
  '.env.{example,sample,template,dist,defaults,schema}',
  '.env.*.{example,sample,template,dist}',
  '{example,sample,template}.env',
  '*.pub',
]

/** Folders in which everything is secret. */
export const secretFolders: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.password-store',
  '.config/gcloud',
  '.local/share/keyrings',
  '.mozilla',
  '.config/google-chrome',
  '.config/chromium',
  'Library/Keychains',
]

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

const isSecretFile = matcher(secretFiles, '$')
const isOpenFile = matcher(openFiles, '$')
const isInSecretFolder = matcher(secretFolders, '(?=/|$)')
const isStrict = matcher(strictPlaces, '(?=/|$)')
const isGuarded = matcher(guardedPlaces, '(?=/|$)')

/** The names of a path that make it secret (`.env`, `.ssh`), or undefined. The path has `/` between its names. */
export function secretIn(path: string): string | undefined {
  return isInSecretFolder(path) ?? (isOpenFile(path) === undefined ? isSecretFile(path) : undefined)
}

/** Whether a file of that name holds secrets, wherever it lies. */
export function isSecretName(name: string): boolean {
  return secretIn(name) !== undefined
}

/** The names of a path that make writing there a matter of its own, or undefined. */
export function protectedIn(path: string): { place: string; strict: boolean } | undefined {
  const strict = isStrict(path)
  if (strict !== undefined) return { place: strict, strict: true }
  const guarded = isGuarded(path)
  return guarded === undefined ? undefined : { place: guarded, strict: false }
}

/** One expression for a whole list: a path is tried once, however long the list is. */
function matcher(globs: readonly string[], end: string): (path: string) => string | undefined {
  const expression = new RegExp(`(?:^|/)(${globs.map(globSource).join('|')})${end}`, 'i')
  return (path) => expression.exec(path)?.[1]
}

function globSource(glob: string): string {
  return glob
    .replace(/[.+^$()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '[^/]*')
    .replaceAll('{', '(?:')
    .replaceAll('}', ')')
    .replaceAll(',', '|')
}
