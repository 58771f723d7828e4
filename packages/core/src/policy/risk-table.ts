import type { KindFactor, RiskLevel } from '../model/index.ts'
import { words } from './word-list.ts'

/** From which score on a call is of this level. Only a factor that forbids reaches `prohibited`; all others together cannot. */
export const LEVELS: readonly { level: RiskLevel; from: number }[] = [
  { level: 'prohibited', from: 2000 },
  { level: 'high', from: 70 },
  { level: 'medium', from: 40 },
  { level: 'low', from: 0 },
]

/** Every factor, its weight, and the sentence a person reads. Weights add up; none is negative. */
export const FACTORS = {
  'own.process': [2000, 'this is a window of Deskhand itself or the terminal it runs in'],
  'own.console': [2000, "this is Deskhand's own console"],
  'own.address': [2000, "this text leads to Deskhand's own console"],
  'own.consent': [2000, 'this is a prompt in which the person at the desktop decides what programs may do'],

  'action.focus': [2, 'moves the focus, the pointer or the view'],
  'action.window': [5, 'changes a window'],
  'action.type': [8, 'enters text or keys'],
  'action.click': [10, 'presses something'],
  'action.capture': [10, 'takes a picture of the screen'],
  'action.close': [15, 'closes a window, which can lose what was not saved'],
  'action.clipboard': [15, 'reads what a person may have copied'],
  'action.launch': [20, 'starts a program'],
  'action.code': [20, 'runs code'],
  'action.force': [25, 'ends a program by force, which loses what was not saved'],
  'action.coordinates': [40, 'goes to a point on the screen, not to an element'],

  'select.name': [6, 'was selected by what it is called, not by an identity'],
  'source.pixel': [15, 'was found by the point it lies under'],
  'source.ocr': [30, 'was found by reading pixels'],
  'source.image': [30, 'was found by comparing pixels'],
  'source.unknown': [35, 'what it would touch is not known'],
  'source.unread': [10, 'no tree tells what lies there'],
  'confidence.low': [10, 'the match is not certain'],
  'confidence.poor': [15, 'the match is more likely wrong than right'],
  drift: [15, 'it moved since the agent last saw it'],
  'drift.far': [30, 'it is far from where the agent last saw it'],

  'app.unknown': [15, 'the program behind it is not known'],
  'app.browser': [5, 'a web browser'],
  'app.mail': [15, 'a mail or messaging program'],
  'app.admin': [30, 'a program that administers a system or a database'],
  'app.terminal': [32, 'a terminal, or a place where commands are entered'],
  'app.finance': [35, 'a finance program'],
  'app.passwords': [60, 'a password manager or key store'],
  'app.authentication': [2000, 'a prompt that proves who a person is'],
  'read.finance': [10, "reads a finance program's content"],
  'read.passwords': [45, "reads a password manager's content"],
  'read.authentication': [45, 'reads a prompt that proves who a person is'],

  'word.dialog': [30, 'answers a dialog that says'],
  'word.destructive': [30, 'destroys something, by the word'],
  'word.committing': [30, 'commits to something, by the word'],
  'word.program': [30, 'downloads something that can be run:'],
  'word.paying': [40, 'moves money, by the word'],
  'field.password': [40, 'a password field'],
  'field.payment': [40, 'a payment field, by the word'],
  'key.delete': [20, 'the Delete key outside of a text field'],
  'text.lines': [5, 'enters several lines, each of which may be run or sent'],
  'text.command': [30, 'types a command that can do harm:'],
  'text.card': [30, 'enters what looks like a card number'],
  'intent.other': [20, 'the stated intent names something else'],
  'taint.target': [6, 'chose its target by text from the screen'],
  'taint.text': [20, 'enters text that came from the screen'],
  'taint.carried': [5, 'enters text that came from another application or page:'],
} as const satisfies Record<string, readonly [weight: number, sentence: string]> & Record<KindFactor, unknown>

export type FactorId = keyof typeof FACTORS

export const CLASSES = ['browser', 'mail', 'admin', 'terminal', 'finance', 'passwords', 'authentication'] as const
export type AppClass = (typeof CLASSES)[number]

/** Programs by class: the file behind the pid, lower case, without `.exe`. */
export const APP_CLASSES: Readonly<Record<AppClass, readonly string[]>> = {
  finance: words(`
    gnucash, kmymoney, homebank, skrooge, grisbi, moneydance, quicken, qw, quickbooks, qbw, qbw32, sage, xero, jameica, hibiscus,
    starmoney, saplogon, saplgpad, sapgui, sap, dynamics, ledger live, ledger-live, ledger-live-desktop, trezor-suite, electrum,
    bitcoin-qt, exodus, sparrow, monero-wallet-gui, wasabi, tws, thinkorswim, metatrader, terminal64, datev, elster
  `),
  admin: words(`
    mmc, regedit, regedt32, taskmgr, gparted, gpartedbin, gnome-disks, gnome-disk-utility, partitionmanager, blivet-gui, synaptic,
    pamac-manager, gnome-software, plasma-discover, yast2, y2base, gnome-control-center, systemsettings, systemsettings5,
    xfce4-settings-manager, systempreferences, dconf-editor, virt-manager, virtualbox, virtualboxvm, vmware, firewall-config, gufw,
    users-admin, system-config-printer, gnome-system-monitor, plasma-systemmonitor, ksysguard, pgadmin4, dbeaver, mysql-workbench,
    mysql-workbench-bin, ssms, azuredatastudio, datagrip, sqldeveloper, lens, openlens, mstsc, remmina, rdesktop, xfreerdp, vncviewer,
    krdc, vinagre, anydesk, teamviewer, gnome-connections
  `),
  terminal: words(`
    gnome-terminal, gnome-terminal-server, gnome-terminal.real, kgx, gnome-console, ptyxis, ptyxis-agent, konsole, yakuake, xterm, uxterm,
    lxterm, rxvt, urxvt, urxvtd, xfce4-terminal, lxterminal, mate-terminal, qterminal, deepin-terminal, terminology, terminator, tilix,
    guake, tilda, kitty, alacritty, foot, footserver, wezterm, wezterm-gui, st, rio, ghostty, warp, warp-terminal, hyper, tabby,
    cool-retro-term, x-terminal-emulator, iterm2, terminal, cmd, powershell, powershell_ise, pwsh, windowsterminal, wt, conhost,
    openconsole, mintty, putty, kitty_portable, mobaxterm, securecrt,
    xfce4-appfinder, xfrun4, krunner, gmrun, lxqt-runner, mate-panel-run, rofi, dmenu, wofi, fuzzel, bemenu, ulauncher, albert
  `),
  passwords: words(`
    keepassxc, keepass, keepass2, 1password, bitwarden, bitwarden-app, seahorse, kwalletmanager, kwalletmanager5, secrets, gnome-secrets,
    gnome-passwordsafe, enpass, dashlane, lastpass, nordpass, proton pass, proton-pass, buttercup, qtpass, kleopatra, gpa, keychain
    access, roboform, authy, authenticator
  `),
  authentication: words(`
    polkit-gnome-authentication-agent-1, polkit-kde-authentication-agent-1, polkit-mate-authentication-agent-1, lxqt-policykit-agent,
    lxpolkit, xfce-polkit, mate-polkit, hyprpolkitagent, pinentry, pinentry-gtk, pinentry-gtk-2, pinentry-qt, pinentry-qt5,
    pinentry-gnome3, pinentry-fltk, pinentry-x11, pinentry-mac, gcr-prompter, gcr4-ssh-askpass, ssh-askpass, x11-ssh-askpass,
    gnome-ssh-askpass, ksshaskpass, lxqt-openssh-askpass, gksu, gksudo, kdesu, kdesudo, lxqt-sudo, kscreenlocker_greet, xscreensaver,
    xscreensaver-auth, xscreensaver-gfx, gnome-screensaver, gnome-screensaver-dialog, mate-screensaver-dialog, xfce4-screensaver-dialog,
    light-locker, i3lock, swaylock, hyprlock, slock, lightdm-gtk-greeter, sddm-greeter, consent, credentialuibroker, logonui, lockapp,
    securityagent, loginwindow, coreautha
  `),
  mail: words(`
    thunderbird, thunderbird-bin, betterbird, evolution, geary, kmail, claws-mail, sylpheed, balsa, trojita, mailspring, outlook, olk,
    hxoutlook, mail, spark, proton-mail, proton mail, tutanota-desktop, slack, teams, ms-teams, teams-for-linux, discord, signal,
    signal-desktop, telegram, telegram-desktop, whatsapp, whatsdesk, element, element-desktop, skype, skypeforlinux, zoom, zulip,
    mattermost-desktop, messages, pidgin, hexchat, fractal, polari
  `),
  browser: words(`
    firefox, firefox-bin, firefox-esr, librewolf, waterfox, tor-browser, chrome, google-chrome, google-chrome-stable, chromium,
    chromium-browser, brave, brave-browser, msedge, microsoft-edge, opera, vivaldi, vivaldi-bin, epiphany, epiphany-browser, falkon,
    konqueror, midori, qutebrowser, safari, arc, iexplore, min, ladybird, zen, zen-bin
  `),
}
