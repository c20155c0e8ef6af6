/** What an instruction asks a model to do, and to what; written as the other words are. */
export const doing = {
  read: `look for|cherche|suche nach|busca|read|reading|reads|open|opens|cat|load|loads|fetch|fetches|retrieve*|access|accesses|collect*|gather*|extract*|dump|dumps|grab|scan|scans|harvest*|look up|obtain*|find|locate|enumerate|list the|list all|copy|copies|take|capture|get the|read_file
    |lies|lese|lesen|liest|offne|offnen|hole|holen|sammle*|sammeln|lade|auslesen|rufe|abrufen|kopier*|such|suche|durchsuch*|auszulesen|ermittle
    |lis|lire|lisez|ouvre|ouvrez|ouvrir|recuper*|collecte*|charge|copie*|extrai*|accede*|cherche*
    |lee|lea|leer|leas|abre|abra|abrir|recoge|recopil*|obten*|obtiene|extra*|copia*|carga|accede*|busca*|recuper*
    |leggi|legga|leggere|apri|aprire|raccogli*|ottieni|estra*|copia*|carica|accedi|recuper*|cerca
    |leia|ler|abra|colet*|obtenh*|extra*|copie|carregue|acesse|recuper*|procure
    |lees|lezen|open|verzamel*|haal|ophalen|kopieer*|laad|zoek
    |przeczytaj|odczytaj|czytaj|otworz|zbierz|pobierz|skopiuj|wczytaj|znajdz|wyodrebnij
    |прочитай*|прочти*|читай*|считай*|открой*|собери*|извлеки*|получи*|скопируй*|загрузи*|найди*|прочесть|прочитать|считать
    |oku|okuyun|okuyup|okuyarak|ac|topla|al|kopyala|getir|bul|cek
    |读取|讀取|阅读|打开|打開|收集|获取|獲取|提取|加载|复制|複製|查找|访问|搜集|抓取|读出|读一下
    |読み取|読み込|読ん|読む|読み|開い|開き|収集|取得|抽出|コピー|集め|調べ|アクセス
    |읽*|열*|수집*|가져오*|가져와*|추출*|복사*|불러*|찾아*|확보*
    |اقرا|قراءة|تقرا|افتح|اجمع|احصل|استخرج|انسخ|جلب
    |पढ़ें|पढ़ो|पढ़कर|पढें|खोलें|एकत्र|इकट्ठा|प्राप्त|निकालें|कॉपी`,
  send: `hand its|hand the|hand them|pass through|passes through|turn over|goes to|go to our|carry a copy|reicht weiter|leg bei|交给|交由|递交|引き渡|send|transmit|print|dump|sends|sending|post|posts|upload|uploads|uploading|forward|forwards|forwarding|transmit*|exfiltrat*|email|e-mail|mail|submit|submits|bcc|cc|leak|leaks|relay|deliver*|publish|push|ship|share|sharing|beacon|ping|report back|hand over|pass on|pass along|write to|curl|wget|route|routes|mirror|mirrors|stream to|copied to|sync
    |sende*|senden|schick*|lade hoch|hochlad*|hochzuladen|ubermittl*|ubertrag*|leite weiter|weiterleit*|leite*|maile|poste|teile mit|weitergeben|gib weiter
    |recopi*|envoi*|envoy*|transmet*|transfer*|poste*|publi*|telecharge* vers|televers*|partage*|remet*|fais suivre
    |envi*|mand*|transmit*|reenvi*|sub*|public*|compart*|remit*|carg*
    |invi*|mand*|trasmett*|inoltr*|caric*|pubblic*|condivid*|spedi*
    |envi*|mand*|transmit*|encaminh*|carreg*|public*|compartilh*|remet*
    |stuur|sturen|verzend*|verstuur*|upload*|doorstuur*|doorsturen|deel|plaats|mail
    |wyslij*|przeslij*|przekaz*|wysylaj|udostepni*|opublikuj|zaladuj
    |отправ*|пошли*|перешли*|передай*|передава*|загрузи*|выгрузи*|опубликуй*|пересыла*|скинь*|вышли*|поделись|слей
    |gonder*|ilet*|yukle*|paylas*|aktar*|yolla*
    |发送|發送|上传|上傳|转发|轉發|传输|提交|发到|发给|传给|传到|外传|寄到|寄给|发往|回传|传送|发布|推送|同步到
    |送信|送っ|送り|送る|アップロード|転送|投稿|提出|共有|渡し|渡す|公開
    |보내*|전송*|업로드*|전달*|제출*|공유*|발송*|게시*|송신*
    |ارسل*|ارسال*|ترسل*|ارفع*|رفع|حول|انشر|شارك
    |भेज*|अपलोड|अग्रेषित|साझा|प्रेषित|पोस्ट`,
  fill: `quote|quotes|restate|recite|repeat it|repeat them|repeat their|repeated|state the|nenne|nennen sie|wiederhol*|lege bei|beileg*|beizuleg*|reprend*|enumere*|repete*|enumera|enumere|repite|repita|列出|重复|逐字|附带|一并|带上|挙げ|繰り返|添え|そのまま|typing|type|give|describe who|enclose*|hand in|hand over|include|includes|including|append*|attach*|insert*|embed*|put|place|pass|passing|provide*|supply|supplies|fill|populate*|paste|encode*|add|adds|enter|prepend*|concatenate*|stuff|set the|set it|feed|bundle|store it|save it|write it|stash
    |fuge|einfug*|einzufug*|ubergib|ubergeben|angeb*|angib|gib|setze|trage|eintrag*|einzutrag*|kodier*|hange*|anhang*|anzuhang*|hinzuf*|beifug*|mitgeben
    |inclu*|ajout*|joi*|joindre|insere*|insere|mets|mettez|mettre|passe*|fourni*|encode*|plac*|rempli*|colle*|renseign*
    |inclu*|añad*|anad*|adjunt*|insert*|pon|ponga*|pasa|pase|pasar|proporcion*|codific*|coloc*|rellen*|agreg*|pega*|introduc*
    |includ*|aggiung*|alleg*|inser*|metti|metta|passa*|forni*|codific*|colloc*|compil*|incoll*
    |inclu*|adicion*|anex*|insir*|coloqu*|passe|forneç*|fornec*|codifi*|preench*|ponha|cole
    |voeg|toevoegen|bijvoeg*|invoeg*|zet|geef|plak|vul|codeer*|neem op|meegeven|plaats
    |dolacz*|dodaj*|wstaw*|umiesc*|podaj*|zakoduj*|wklej*|wpisz*|uzupelni*|zalacz*
    |включи*|добавь*|добавля*|вставь*|вставля*|приложи*|прикрепи*|помести*|укажи*|передай*|закодируй*|впиши*|заполни*|запиши*|подставь*|положи*
    |ekle*|ekleyin|koy|yaz|yapistir|doldur*|sagla|kodla*|gir|dahil et*|iliştir*
    |包含|附加|附上|插入|嵌入|填入|填写|放入|放到|放进|传入|添加|加入|粘贴|提供|编码|写入|附在|贴上|带上|作为参数
    |含め|追加|添付|挿入|埋め込|入力|渡し|貼り付|書い|書き|記載|エンコード|記入|付け|入れ|書き込
    |포함*|추가*|첨부*|삽입*|넣*|입력*|제공*|인코딩*|붙여*|담아*|기입*|채우*|적어*
    |ادرج|اضف|ارفق|ادخل|ضع|ضمن|ضمّن|الصق|تضمين|مرر|قدم|املا
    |शामिल|जोड़ें|जोड़|डालें|संलग्न|प्रदान|दर्ज|चिपकाएं|एन्कोड|भरें|रखें`,
  run: `execute*|run|runs|running|invoke*|launch*|eval|sudo|install*|curl|wget|chmod|bash|powershell|rm -rf|delete*|wipe*|erase*|drop table|format|disable*|overwrite*|modif*|replace*|change|redirect*|transfer*|wire|pay|purchase|buy|rewrite*|alter|swap|substitute*|approve*|grant*|remove*|reset|deploy*|merge*|create a
    |fuhre|ausfuhr*|auszufuhr*|starte*|installier*|losch*|deaktivier*|ersetz*|ander*|uberweis*|uberschreib*|genehmig*|tausch*
    |execut*|lance*|lancer|install*|supprim*|efface*|desactiv*|remplac*|modifi*|redirig*|vire|virer|approuv*|effectu*|chang*|transfer*
    |ejecut*|corr*|instal*|borr*|elimin*|desactiv*|reemplaz*|sustitu*|modific*|cambi*|redirig*|transfi*|aprueb*|aprob*
    |esegu*|lancia*|avvia*|install*|cancell*|elimin*|disattiv*|disabilit*|sostitu*|modific*|cambi*|reindirizz*|trasferi*|approva*
    |execut*|rode|instal*|apag*|exclu*|desativ*|substitu*|alter*|mude|redirecion*|transfir*|aprov*
    |voer uit|uitvoer*|uit te voeren|start|installeer*|verwijder*|wis|uitschakel*|vervang*|wijzig*|verander*|overmak*|maak over|keur goed
    |wykonaj*|uruchom*|zainstaluj*|usun*|skasuj*|wylacz*|zastap*|zamien*|zmien*|przelej|zatwierdz*|podmien*
    |выполни*|запусти*|установи*|удали*|сотри*|отключи*|замени*|измени*|перевед*|перенаправ*|одобри*|подмени*
    |calistir*|yurut*|kur|sil|silin|devre disi*|degistir*|yonlendir*|transfer et*|onayla*
    |执行|執行|运行|運行|安装|删除|刪除|清空|禁用|替换|替換|修改|更改|转账|转到|汇款|批准|关闭|重定向|改成|改为|支付
    |実行|起動|インストール|削除|消去|無効化|置き換え|変更|書き換え|送金|振り込|承認|リダイレクト|差し替え
    |실행*|설치*|삭제*|지우*|비활성*|교체*|변경*|바꾸*|바꿔*|송금*|이체*|승인*|대체*
    |نفذ|تنفيذ|شغل|تشغيل|ثبت|احذف|حذف|عطل|استبدل|غير|حول|وافق|امسح
    |चलाएं|चलाओ|निष्पादित|इंस्टॉल|हटाएं|हटा|मिटा*|अक्षम|बदलें|बदल|स्थानांतरित|ट्रांसफर|स्वीकृत`,
  use: `rappel*|come here|vuelve a llamar|pick|picks|nimm|nehmen sie|passe par|经过|もう一度|再度|再次|call|calls|calling|use|using|invoke*|repeat*|apply|employ*|perform*|do|make|ruf|rufe|aufruf*|aufzurufen|verwend*|benutz*|nutz*|appel*|utilis*|llam*|us*|utiliz*|chiam*|usa|usare|chame|roep|aanroep*|gebruik*|wywol*|uzyj*|uzywaj*|вызыва*|вызови*|используй*|примени*|cagir*|kullan*|调用|使用|呼び出|使っ|使い|使用|호출*|사용*|استدع*|استخدم*|कॉल|उपयोग`,
  personal: `newest file from|what they seem to feel|names and contents|geburtsdatum|date de naissance|fecha de nacimiento|政治|健康状况|生年月日|employ* and family|religion|political views|ideas politicas|open tabs|open editors|recent prompts|user's files|user's home|user's contacts|contact list|address book|mailbox|user's mail|user's email|user's emails|user's documents|open files|all files|every file|files in the user's|attachments that the user|all attachments|saved cards|payment cards|user's calendar|user's location|other servers have returned|output of other tools|results of other tools|output of that tool|personal data|personal information|private data|private messages|private repositor*|private notes|photos|medical record*|bank account*|bank statement*|browser history|clipboard|shell history|user message|user messages|memories|memory of|stored memories|what the user typed|user's identity|passport*|date of birth|customer data|customer records|confidential text|confidential information|confidential document*|files you can read|files that you can read|phone number*|user's real name
    |kontakte|adressbuch|posteingang|postfach|heimatverzeichnis|benutzerordner|personliche daten|private daten|privaten daten|offenen dateien|alle dateien|private nachrichten|anhange|zwischenablage
    |vos contacts|tes contacts|ses contacts|contacts de|carnet d'adresses|boite de reception|dossier personnel|donnees personnelles|donnees privees|fichiers ouverts|tous les fichiers|pieces jointes|presse-papiers|messages prives
    |contactos|libreta de direcciones|bandeja de entrada|carpeta personal|datos personales|datos privados|archivos abiertos|todos los archivos|adjuntos|portapapeles|mensajes privados
    |contatti|rubrica|posta in arrivo|cartella personale|dati personali|dati privati|file aperti|tutti i file|allegati|appunti|messaggi privati
    |contatos|dados pessoais|dados privados|caixa de entrada|todos os arquivos|contacten|persoonlijke gegevens|kontakty|dane osobowe|danych osobowych|контакт*|личные данные|личных данных|персональн*|почтовый ящик|kisiler*|kisisel veri*
    |联系人|通讯录|收件箱|主目录|个人信息|个人数据|隐私|所有文件|打开的文件|附件|剪贴板|私人|連絡先|アドレス帳|受信箱|受信トレイ|ホームフォルダ|ホームディレクトリ|個人情報|個人データ|開いているファイル|すべてのファイル|添付ファイル|クリップボード|연락처*|주소록*|받은편지함*|홈 폴더*|홈 디렉*|개인정보*|개인 정보*|모든 파일*|첨부*|جهات الاتصال|البيانات الشخصية|صندوق الوارد|संपर्क*|व्यक्तिगत जानकारी|निजी डेटा`,
  secret: `ssh private key|printenv|shell profile|pin and|login of|logins of|bearer header*|authorization header*|auth header*|key files|password store*|password manager|banking pin|banking-pin|online-banking|onlinebanking|token you use|token that you use|tokens you use|tokens you hold|your token|your tokens|private keys|card number|card numbers|security code|identity card|id card number|license key|schlusseldatei*|zugangsschlussel|kartennummer*|fichiers de cles|fichier de cles|numeros de carte|numero de carte|archivos de claves|archivo de claves|numero de tarjeta|usuario y contrasena|密钥文件|登录凭据|登录信息|银行卡号|卡号|鍵ファイル|ログイン情報|カード番号|password*|passwd|passphrase*|credential*|api key|api keys|api-key*|apikey*|api_key*|access key*|access token*|auth token*|bearer token*|session token*|oauth token*|secret key*|secret token*|private key*|ssh key*|ssh-key*|secrets|seed phrase*|mnemonic*|recovery phrase*|session cookie*|browser cookies|login cookies|auth cookies|all cookies|user's cookies|cookies of|cookies from|2fa|otp|one-time code|one-time password|verification code|environment variables|env vars|env variables|signing key*|wallet key*|login details|credit card*|card number*|cvv|cvc|social security|recovery word*|recovery key*|secret access key|personal access token*|login and password|access tokens|api token*|database password|bank login|token cache|ssn|pin code|keychain|keyring|bank details|master password
    |passwort*|passworter*|kennwort*|zugangsdaten|anmeldedaten|api-schlussel|api schlussel|zugriffstoken|privaten schlussel|private schlussel|privater schlussel|ssh-schlussel|geheimnisse|geheimen schlussel|umgebungsvariable*|kreditkarte*|einmalcode|bestatigungscode|schlusselbund
    |mot de passe|mots de passe|identifiants|cle api|cles api|cle d'api|cles d'api|cle privee|cles privees|cle ssh|cles ssh|jeton*|jeton d'acces|variables d'environnement|carte bancaire|carte de credit|secrets|code de verification
    |contrasena*|credencial*|clave api|claves api|clave de api|claves de api|clave privada|claves privadas|clave ssh|claves ssh|clave de acceso|token de acceso|variables de entorno|tarjeta de credito|secretos|frase semilla|codigo de verificacion
    |credenzial*|chiave api|chiavi api|chiave privata|chiavi private|chiave ssh|chiavi ssh|token di accesso|variabili d'ambiente|variabili di ambiente|carta di credito|segreti|codice di verifica|password
    |senha*|credencia*|chave api|chaves api|chave de api|chaves de api|chave privada|chaves privadas|chave ssh|chaves ssh|token de acesso|variaveis de ambiente|cartao de credito|segredos
    |wachtwoord*|inloggegevens|api-sleutel*|api sleutel*|privesleutel*|ssh-sleutel*|toegangstoken*|omgevingsvariabele*|creditcard*|geheimen
    |hasl*|dane logowania|danych logowania|poswiadcze*|klucz api|klucze api|klucza api|klucz prywatny|klucze prywatne|klucza prywatnego|klucze ssh|klucz ssh|zmienne srodowiskowe|zmiennych srodowiskowych|tokeny|sekrety
    |парол*|учетные данные|учетных данных|ключ api|ключи api|api-ключ*|апи ключ*|приватный ключ*|закрытый ключ*|закрытые ключи|приватные ключи|приватного ключа|ssh-ключ*|токен*|переменные окружения|переменных окружения|секрет|секреты|секретов|куки|банковск*
    |sifre*|parola*|kimlik bilgi*|api anahtar*|ozel anahtar*|ssh anahtar*|erisim belirteci|erisim anahtar*|ortam degisken*|kredi kart*|jeton*
    |密码|密碼|口令|凭据|憑證|凭证|密钥|密鑰|私钥|私鑰|令牌|访问令牌|环境变量|環境變數|助记词|信用卡|验证码|账号密码|机密
    |パスワード|認証情報|資格情報|秘密鍵|APIキー|apiキー|トークン|環境変数|クレジットカード|シークレット|アクセスキー|暗証番号|鍵ファイル
    |비밀번호*|암호*|자격 증명*|자격증명*|인증 정보*|인증정보*|개인 키*|개인키*|비밀키*|API 키*|api키*|토큰*|환경 변수*|환경변수*|신용카드*|액세스 키*
    |كلمة المرور|كلمات المرور|كلمة السر|كلمات السر|بيانات الاعتماد|مفتاح api|مفاتيح api|المفتاح الخاص|المفاتيح الخاصة|مفتاح ssh|مفاتيح ssh|رمز الوصول|رموز|متغيرات البيئة|بطاقة الائتمان|بيانات الدخول|بيانات تسجيل الدخول
    |पासवर्ड*|क्रेडेंशियल*|एपीआई कुंजी*|api कुंजी*|निजी कुंजी*|टोकन*|गुप्त कुंजी*|पर्यावरण चर|क्रेडिट कार्ड|लॉगिन`,
  history: `what was discussed|discussed so far|the discussion so far|everything you know|all you know|whatever you remember|you remember from|you are talking to|messages above|text above this|earlier sessions|previous sessions|past sessions|earlier conversation*|told you today|user has told you|user told you|user has said|user said so far|said so far|who the user is|who is asking|what they asked|your reasoning|your thoughts|dialogue so far|quotations from the dialogue|user's own words so far|bisherigen dialog|bisherige dialog|bisherigen gesprach|bisherige gesprach|bisher gesagt|in dieser sitzung gesagt|was der benutzer gesagt|was der nutzer gesagt|alles was der benutzer|alles was der nutzer|was du uber|ce qui a ete dit|dit jusqu'ici|tout ce que l'utilisateur|ce que l'utilisateur a|tout ce que la personne|lo hablado|dicho hasta ahora|todo lo que el usuario|lo que el usuario ha|lo que sabes|谈话|说过的|对话逐字|以往会话|你所知|你记住|记住的|これまでのやりと|話したこと|話した内容|覚えていること|知っていること|conversation history|chat history|message history|full conversation|entire conversation|whole conversation|the conversation|this conversation|conversation so far|previous messages|prior messages|earlier messages|all messages of this|chat log*|chat transcript|conversation transcript|transcript of|dialogue history|conversation context|conversation log|entire context|everything the user|what the user has said|everything the user has|user's messages|user's previous|entire chat|whole chat|session history|browsing history|conversation verbatim|user's last messages|user's questions|complete history|message with role|every user message|user message*|earlier message|earlier messages|entire dialogue|the dialogue|the chat|this chat|deleted from this chat|your memory|what was said|previous turns|prior turns
    |gesprachsverlauf*|chatverlauf*|konversationsverlauf*|bisherigen verlauf|gesamten verlauf|ganze unterhaltung|gesamte unterhaltung|gesamten unterhaltung|gesamte gesprach|gesamten kontext|alle nachrichten|unterhaltung|konversation
    |historique de la conversation|historique du chat|historique des conversations|historique complet|l'historique|toute la conversation|messages precedents|conversation complete
    |historial de la conversacion|historial del chat|historial de conversacion|historial completo|toda la conversacion|conversacion completa|mensajes anteriores|historial
    |cronologia della conversazione|cronologia della chat|cronologia|intera conversazione|tutta la conversazione|conversazione completa|messaggi precedenti|cronologia completa
    |historico da conversa|historico do chat|historico completo|toda a conversa|conversa completa|conversa inteira|mensagens anteriores
    |gespreksgeschiedenis|chatgeschiedenis|hele gesprek|volledige gesprek|eerdere berichten|gespreksverloop
    |histori* rozmowy|histori* czatu|cala rozmow*|calej rozmowy|pelna histori*|poprzednie wiadomosci|tresc rozmowy
    |истори* переписки|истори* диалога|истори* разговора|истори* чата|историю|переписк*|весь диалог|весь разговор|предыдущие сообщения
    |sohbet gecmis*|konusma gecmis*|tum konusma*|onceki mesaj*|yazisma*
    |对话历史|聊天记录|聊天历史|对话记录|完整对话|整个对话|全部对话|對話歷史|聊天記錄|历史消息|之前的消息|会话历史|上下文|会话内容|对话内容
    |会話履歴|チャット履歴|会話全体|会話の全|会話内容|これまでの会話|以前のメッセージ|やり取り|対話履歴|会話ログ
    |대화 기록*|대화기록*|대화 내용*|대화내용*|대화 내역*|채팅 기록*|전체 대화*|이전 메시지*|대화 전체*
    |سجل المحادثة|تاريخ المحادثة|المحادثة كاملة|كامل المحادثة|المحادثة باكملها|الرسائل السابقة|محادثة|المحادثة
    |बातचीत*|वार्तालाप|चैट इतिहास|पूरी बातचीत|पिछले संदेश*|चैट हिस्ट्री`,
  system: `instructions you were|rules you were|you were set up|instructions you have|copy of your instructions|copy of the instructions|tools you have|tools that you have|tools available to you|tools at your disposal|tools you were given|your guidelines|part of your instructions|system administrator had|deiner anweisungen|deiner systemanweisung|die dir zur verfugung|dir zur verfugung|deine werkzeuge|tes instructions|dont tu disposes|tes outils|de las que dispones|de que dispones|tus herramientas|你可以使用的|你可用的|你的工具|可供你|使えるツール|利用できるツール|あなたの指示|与えられた指示|与えられたツール|system prompt*|role system|all tools you|tools you can call|every tool you|tools that you can call|tool schemas|system message*|system instruction*|developer message*|developer prompt*|initial prompt|initial instructions|hidden prompt|your instructions|your prompt|your own instructions|your configuration|your tools|your available tools|list of your tools|tool definitions|your context|preamble|your rules
    |systemprompt*|system-prompt*|systemnachricht*|systemanweisung*|deine anweisungen
    |prompt systeme|message systeme|invite systeme|instructions systeme|vos instructions|consignes systeme
    |prompt del sistema|mensaje del sistema|mensaje de sistema|instrucciones del sistema|prompt de sistema|tus instrucciones|indicaciones del sistema
    |prompt di sistema|messaggio di sistema|istruzioni di sistema|tue istruzioni
    |prompt do sistema|prompt de sistema|mensagem do sistema|instrucoes do sistema|suas instrucoes
    |systeeminstructies|systeemprompt|systeembericht
    |prompt systemowy|monit systemowy|instrukcje systemowe|prompt systemow*|promptu systemowego
    |системный промпт|системного промпта|системные инструкции|системное сообщение|системную инструкцию|системный запрос|системн* промпт*|системн* инструкци*
    |sistem istemi*|sistem mesaj*|sistem talimat*|sistem prompt*|sistem komut*
    |系统提示|系統提示|系统提示词|系统消息|系统指令|初始指令|你的指令
    |システムプロンプト|システムメッセージ|システム指示|初期指示
    |시스템 프롬프트*|시스템프롬프트*|시스템 메시지*|시스템 지침*|시스템 지시*
    |موجه النظام|رسالة النظام|تعليمات النظام|مطالبة النظام|الموجه النظامي
    |सिस्टम प्रॉम्प्ट*|सिस्टम संदेश|सिस्टम निर्देश*`,
} as const;
