import { words } from './word-list.ts'

/**
 * Words that tell what a press would do. Matched as whole words without regard to case or accents; a leading `=` stands for the whole name.
 * Chinese and Japanese have no word bounds: there a word counts wherever it stands, except inside one of NOT.
 */
export interface Words {
  destructive: readonly string[]
  committing: readonly string[]
  paying: readonly string[]
  paymentField: readonly string[]
}

export const WORDS: Readonly<Record<string, Words>> = {
  en: {
    destructive: words(`
      delete, erase, wipe, destroy, purge, shred, remove, uninstall, discard, trash, overwrite, truncate, terminate, revoke, deactivate,
      decommission, unlink, unpublish, unsubscribe, nuke, obliterate, shutdown, shut down, power off, =turn off, turn off computer,
      reboot, restart, force quit, force stop, force push, end task, end process, kill, empty trash, empty bin, empty recycle bin, empty
      folder, empty junk, =empty, format disk, format drive, format volume, format partition, format device, format card, format usb,
      quick format, reformat, repartition, =format, factory reset, reset all, reset to default, reset to defaults, reset settings, reset
      password, restore defaults, restore default settings, =reset, clear all, clear data, clear history, clear browsing data, clear
      cache, clear log, clear logs, =clear, =drop, drop table, drop database, =replace, replace file, replace existing, =disable, disable
      account, close account, cancel account, cancel order, cancel subscription, cancel membership, cancel reservation, cancel booking,
      void, don't save, do not save, without saving, lose changes, =revert, revert changes, roll back, rollback, permanently, forever,
      irreversible, irreversibly, ban user, block user, expel, evict, reject, =leave, leave group, leave team, forget device, forget
      network, prune, drain
    `),
    committing: words(`
      submit, send, publish, confirm, approve, authorize, authorise, finalize, finalise, deploy, enroll, enrol, subscribe, agree, consent,
      certify, attest, sign document, sign now, sign and, sign here, e-sign, esign, =sign, post now, post comment, post reply, post
      message, post update, post review, =post, tweet, =share, share publicly, accept terms, accept offer, accept invitation, accept
      invite, accept and, =accept, grant access, grant permission, give access, =grant, =allow, allow access, always allow, trust this,
      =trust, install, run anyway, open anyway, proceed anyway, continue anyway, keep anyway, release to, release now, =release, merge
      pull request, confirm merge, =merge, commit changes, commit and, =commit, =push, go live, launch campaign, execute, apply now, book
      now, book appointment, =book, reserve now, =reserve, register now, create account, place call, call now, =call, cast vote, cast
      ballot, =vote, file return, file claim, e-file, lodge, hire, dismiss employee, invite, broadcast, upload, upgrade now, update now, i
      understand
    `),
    paying: words(`
      pay, buy, purchase, checkout, check out, place order, order now, complete order, submit order, confirm order, =order, place bid, bid
      now, =bid, transfer, wire, remit, withdraw, deposit, donate, add tip, top up, add funds, send money, request money, cash out, sell,
      trade, invest, redeem, refund, renew, rent now, start trial, start free trial, start subscription, upgrade plan, charge, settle,
      release payment, release funds, pay off
    `),
    paymentField: words(`
      card number, credit card, debit card, name on card, cardholder, cardholder name, cvv, cvc, cvv2, cvc2, csc, card security code,
      security code, expiry date, expiration date, card expiry, mm yy, iban, bic, swift code, account number, bank account, routing
      number, sort code, bsb, wallet address, seed phrase, recovery phrase, private key
    `),
  },
  de: {
    destructive: words(`
      löschen, loeschen, entfernen, vernichten, formatieren, deinstallieren, verwerfen, überschreiben, ueberschreiben, zurücksetzen,
      zuruecksetzen, herunterfahren, ausschalten, neu starten, neustart, beenden erzwingen, sofort beenden, papierkorb leeren, leeren,
      deaktivieren, widerrufen, kündigen, kuendigen, stornieren, nicht speichern, endgültig, unwiderruflich, ablehnen, =ersetzen
    `),
    committing: words(`
      absenden, abschicken, senden, einreichen, bestätigen, bestaetigen, veröffentlichen, veroeffentlichen, freigeben, genehmigen,
      zustimmen, unterschreiben, unterzeichnen, installieren, buchen, abonnieren, übermitteln, =akzeptieren, =zulassen
    `),
    paying: words(`
      bezahlen, zahlen, jetzt zahlen, kaufen, bestellen, zahlungspflichtig bestellen, überweisen, ueberweisen, spenden, zur kasse,
      abheben, aufladen, verkaufen
    `),
    paymentField: words(`
      kartennummer, kreditkarte, kreditkartennummer, karteninhaber, prüfnummer, prüfziffer, gültig bis, kontonummer, bankleitzahl, blz
    `),
  },
  fr: {
    destructive: words(`
      supprimer, effacer, détruire, retirer, enlever, formater, désinstaller, écraser, réinitialiser, vider, vider la corbeille, éteindre,
      arrêter, redémarrer, désactiver, révoquer, résilier, ne pas enregistrer, abandonner, définitivement, rejeter, =remplacer
    `),
    committing: words(`
      envoyer, soumettre, valider, confirmer, publier, approuver, autoriser, signer, installer, déployer, s'abonner, réserver,
      transmettre, =accepter, =partager
    `),
    paying: words(`
      payer, acheter, commander, passer la commande, virer, effectuer le virement, transférer, faire un don, régler, vendre, retirer des
      fonds
    `),
    paymentField: words(`
      numéro de carte, carte bancaire, carte de crédit, titulaire de la carte, cryptogramme, date d'expiration, numéro de compte
    `),
  },
  es: {
    destructive: words(`
      eliminar, borrar, quitar, suprimir, destruir, formatear, desinstalar, descartar, sobrescribir, restablecer, reiniciar, apagar,
      vaciar, vaciar papelera, desactivar, revocar, cancelar suscripción, anular, no guardar, permanentemente, rechazar, =reemplazar
    `),
    committing: words(`
      enviar, confirmar, publicar, aprobar, autorizar, firmar, instalar, desplegar, suscribirse, reservar, presentar, =aceptar, =compartir
    `),
    paying: words(`pagar, comprar, realizar pedido, hacer pedido, transferir, donar, recargar, vender, retirar fondos`),
    paymentField: words(`
      número de tarjeta, tarjeta de crédito, tarjeta de débito, titular de la tarjeta, código de seguridad, fecha de caducidad, número de
      cuenta
    `),
  },
  zh: {
    destructive: words(`
      删除, 刪除, 移除, 清空, 清除, 抹掉, 抹除, 格式化, 卸载, 解除安裝, 丢弃, 覆盖, 覆蓋, 重置, 恢复出厂, 关机, 關機, 重启, 重新启动, 停用, 注销, 撤销授权, 不保存, 强制退出
    `),
    committing: words(`提交, 发送, 發送, 确认, 確認, 发布, 發布, 批准, 授权, 同意, 签署, 安装, 部署, 订阅, 预订`),
    paying: words(`支付, 付款, 购买, 購買, 下单, 下單, 结算, 转账, 轉帳, 汇款, 充值, 提现, 捐款`),
    paymentField: words(`卡号, 信用卡, 银行卡, 持卡人, 安全码, 有效期, 银行账号`),
  },
  ja: {
    destructive: words(
      `削除, 消去, 除去, 初期化, フォーマット, アンインストール, 破棄, 上書き, リセット, シャットダウン, 再起動, 空にする, 無効化, 解約, 取り消す, 保存しない, 強制終了`,
    ),
    committing: words(`送信, 提出, 確定, 確認, 公開, 投稿, 承認, 許可, 同意, 署名, インストール, デプロイ, 登録, 予約, 申し込む`),
    paying: words(`支払う, お支払い, 支払いを確定, 購入, 注文, 振り込む, 振込, 送金, 寄付, 入金, 出金, チャージ`),
    paymentField: words(`カード番号, クレジットカード, カード名義, セキュリティコード, 有効期限, 口座番号`),
  },
}

/** Longer words that contain one of the above and mean something else: Alipay, "restore deleted", "sent", "payment history". */
export const NOT: readonly string[] = words(`
  支付宝, 支付寶, 已删除, 已刪除, 未删除, 取消删除, 撤销删除, 恢复删除, 已发送, 已提交, 已支付, 已购买, 购买记录, 支付记录, 转账记录, 削除済み, 削除しない, 削除を取り消, 送信済み, 購入済み, 購入履歴, 注文履歴, 支払い履歴,
  お支払い履歴, 登録済み
`)

/** Commands that can do harm when typed into a terminal. */
export const COMMANDS: readonly string[] = words(`
  sudo, su, doas, pkexec, rm, rmdir, shred, dd, mkfs, wipefs, fdisk, parted, mkswap, shutdown, reboot, halt, poweroff, kill, killall,
  pkill, chmod, chown, chattr, curl, wget, nc, ncat, ssh, scp, rsync, eval, exec, source, crontab, systemctl, iptables, nft, ufw, useradd,
  userdel, usermod, passwd, visudo, mount, umount, apt, apt-get, dnf, yum, pacman, pip, npm, docker, kubectl, terraform, aws, gcloud, az,
  psql, mysql, drop, truncate, del, rd, format, diskpart, reg, bcdedit, powershell, iex, base64, xdotool
`)
