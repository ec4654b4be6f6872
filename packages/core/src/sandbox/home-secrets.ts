import path from 'node:path'

/** Where programs keep what lets them act as the person. Never seen inside, also when the home is worked in. */
const names =
  '.ssh .gnupg .aws .azure .kube .docker .oci .netrc .npmrc .yarnrc.yml .pypirc .pgpass .my.cnf .vault-token .git-credentials .terraform.d .password-store .config/gh .config/hub .config/glab-cli .config/gcloud .config/git/credentials .config/op .config/rclone .config/google-chrome .config/chromium .config/BraveSoftware .mozilla .thunderbird .local/share/keyrings .cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml .gradle/gradle.properties .bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history Library/Keychains Library/Cookies'.split(
    ' ',
  )

export function homeSecrets(home: string): string[] {
  return names.map((name) => path.join(home, name))
}
