import { readFileSync } from 'node:fs'
import { parse } from 'smol-toml'
import { z } from 'zod'
import { words } from './word-list.ts'

/**
 * Words that tell what a press would do. Matched as whole words without regard to case or accents; a leading `=` stands for the whole name.
 * Chinese, Japanese and Korean have no word bounds that help: there a word counts wherever it stands, and so does an icon.
 */
export interface Words {
  destructive: readonly string[]
  committing: readonly string[]
  paying: readonly string[]
  paymentField: readonly string[]
  /** Longer words without word bounds that contain one of the above and mean something else: Alipay, "restore deleted", "payment history". */
  harmless: readonly string[]
}

/** The files under `words/`. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'zh', 'ja', 'ru', 'pl', 'pt', 'nl', 'it', 'tr', 'ko', 'ar', 'hi', 'symbols'] as const

const listed = z
  .string()
  .default('')
  .transform((text) => (text.trim() === '' ? [] : words(text)))
const WordFile = z.strictObject({ destructive: listed, committing: listed, paying: listed, paymentField: listed, harmless: listed })

/** Every language's words; read when a name is first looked at. */
export function allWords(): readonly Words[] {
  return (known ??= LANGUAGES.map((name) =>
    // the same two folders up from src/policy and from dist/policy
    WordFile.parse(parse(readFileSync(new URL(`../../words/${name}.toml`, import.meta.url), 'utf8'))),
  ))
}

let known: readonly Words[] | undefined

/** Commands that can do harm when typed into a terminal. */
export const COMMANDS: readonly string[] = words(`
  sudo, su, doas, pkexec, rm, rmdir, shred, dd, mkfs, wipefs, fdisk, parted, mkswap, shutdown, reboot, halt, poweroff, kill, killall,
  pkill, chmod, chown, chattr, curl, wget, nc, ncat, ssh, scp, rsync, eval, exec, source, crontab, systemctl, iptables, nft, ufw, useradd,
  userdel, usermod, passwd, visudo, mount, umount, apt, apt-get, dnf, yum, pacman, pip, npm, docker, kubectl, terraform, aws, gcloud, az,
  psql, mysql, drop, truncate, del, rd, format, diskpart, reg, bcdedit, powershell, iex, base64, xdotool
`)
