/** What `portico --help` prints. */
export const HELP = `Usage: portico <command> [options]

Commands:
  start         runs the service; the environment and .env configure it
  check         checks all settings, the files that they name, and whether the session store can be reached
  doctor        the same, and checks the platform: is it there, is it the right one, does a login work
  key           creates a new entry for SESSION_KEYS
  profile-key   creates a new key for a credential profile, and its profileKeySha256

Options:
  --json              check, doctor: prints JSON
  --profile <name>    doctor: logs in with this profile of CREDENTIALS_FILE
  --username <name>   doctor: logs in as this user; the password is prompted for, or read from stdin
  --id <id>           key: the id of the new key
  -h, --help          prints this help
  -v, --version       prints the version

Exit codes: 0 all is well; 1 something is wrong; 2 the command was not understood.
`;
