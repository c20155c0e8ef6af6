/**
 * Words by what they mean, in the languages that models read most. `*` ends a stem; a space joins words that follow each
 * other. Case and accents do not count.
 */
export const instructing = {
  not: `not|never|nothing|nobody|none|no|don't|dont|do not|doesn't|does not|didn't|isn't|aren't|won't|can't|cannot|mustn't|shouldn't|without|avoid*|refrain*|nor|neither|stop
    |nicht|nichts|nie|niemals|kein|keine|keinen|keinem|keiner|keinerlei|ohne|vermeide*|verzichte*
    |ne|n'en|n'*|pas|rien|jamais|sans|aucun*|evite*|ni
    |nunca|nada|jamas|sin|ningun*|eviten|tampoco|no le|no se
    |non|niente|nulla|mai|senza|nessun*
    |nao|nada|sem|nenhum*
    |niet|niets|nooit|geen|zonder|nimmer
    |nie|nic|niczego|nie wolno|nigdy|bez|zadn*
    |не|ничего|никогда|без|нельзя|никому
    |asla|sakin|degil|olmadan|hicbir|etme|etmeyin|soyleme|soylemeyin|bahsetme*|bildirme|bildirmeyin|bildirmeden|gosterme|gostermeyin|paylasma|sormadan
    |不要|不得|不能|不许|不可|别|切勿|请勿|勿|无需|無需|不必|未经|不准|禁止|不應|不应
    |しない|ないで|するな|せず|れず|ずに|なく|ません|てはいけない|てはならない|禁じ|なしに|ないこと
    |하지 마|하지마*|말고|마세요|마라|말 것|말아*|않고|않은|않도록|없이|절대
    |لا|لم|لن|دون|بدون|عدم|ابدا|تجنب
    |मत|नहीं|बिना|कभी नहीं|न`,
  tell: `report this|report it|report the|hear about|hear of|reporting this|schildere|erzahl*|raconte*|explique*|explica*|说起|讲|説明|tell|tells|telling|told|mention*|inform*|reveal*|disclos*|notify*|notifi*|announc*|acknowledg*|alert|alerting|let know|make aware|aware|divulg*|bring up|refer to this|talk about|discuss*|explain|surface this|visible to|show|display|say|admit|expos*|comment on|point out|draw attention|in your reply|in your answer|in your response|in the response|in the summary|warn*|advis*
    |sag|sage|sagen|sagst|erwahn*|informier*|mitteil*|mitzuteilen|verrat*|offenleg*|offenzulegen|benachrichtig*|zeig|zeige|zeigen|anzeig*|anzuzeigen|bericht*|wissen|merkt|merken|bekannt|hinweis*|kenntnis
    |dis|dire|dites|mentionn*|informe*|revel*|divulgu*|signal*|averti*|prevenir|previen*|montre*|affich*|parle|parler|parlez|savoir|sache|au courant|l'insu|insu
    |dig*|decir*|diga*|mencion*|informar*|informe*|revel*|divulg*|notific*|avis*|muestr*|mostrar*|cuente*|sepa|saberlo|conocimiento|comuni*
    |dica|dire|dillo|menzion*|inform*|rivel*|avvis*|notific*|mostr*|parlar*|sappia|saperlo|comunic*|insaputa
    |diga|dizer|conte|contar|mencion*|informe|informar|revel*|avis*|mostr*|saiba
    |vertel*|zeg|zeggen|meld|melden|noem|noemen|vermeld*|onthul*|toon|tonen|laat weten|informeer*
    |mow|mowic|powiedz*|wspomin*|informuj*|poinformuj*|ujawni*|pokazuj|pokaz|wiedz*|zawiadam*
    |говори*|сообща*|сообщи*|упомина*|упомяни*|раскрыва*|раскрой*|показыва*|покажи*|уведомля*|уведоми*|рассказ*|извеща*|ведома|знал|знать|предупрежда*
    |soyle*|bahset*|bildir*|acikla*|goster*|haber*|haberi|bilgilendir*|farkina
    |告诉|告訴|告知|提及|提到|透露|通知|显示|顯示|展示|泄露|洩露|披露|说明|知晓|知道|知情|察觉|声张|提示用户|透漏
    |伝え|知らせ|言及|話さ|言わ|明かさ|開示|表示|通知|報告|気づか|見せ|触れ|知られ|悟ら
    |알리*|알려*|말하*|언급*|공개*|표시*|보여*|통지*|밝히*|노출*|보고하*|모르게|눈치*|설명하*|고지*
    |تخبر*|اخبار*|تخبري*|تذكر*|تكشف*|كشف*|تظهر*|اظهار*|اعلام*|ابلاغ*|تبلغ*|علم
    |बताओ|बताएं|बताना|बताएँ|बताए|बताये|सूचित|उल्लेख|दिखाएं|दिखाओ|ज़िक्र|जिक्र|जानकारी`,
  reveal: `reveal*|disclos*|divulg*|mention this|mention it|mention that you|admit|say a word|a word about|speak of|speak about|comment on|breathe a word|surface in|talk about
    |verrat*|offenleg*|offenzulegen|daruber zu reden|davon sprechen|revel*|divulgu*|en parler|hablar de|rivel*|parlarne|falar sobre|onthul*|vermeld*|ujawni*|wspomin*
    |раскрыва*|упомина*|рассказыва*|bahset*|ifsa|透露|提及|披露|提到|声张|言及|明かさ|触れ|口外|언급*|밝히*|누설*|تكشف*|تذكر*|उल्लेख|ज़िक्र|जिक्र`,
  see: `knowledge|knowing|see|sees|learn|learns|find out|finds out|notice*|realize*|realise*|aware|surface|surfaces|visible to|reads|detect it|suspect*
    |erfahr*|erfahrt|merkt|mitbekomm*|sieht|sehen|bemerk*|savoir|apprend*|s'apercoi*|voit|remarque|sepa|se entere|enterarse|vea|note|sappia|accorga|veda|saiba|perceba|weten|merkt|dowie*|zauwaz*|узна*|заметил*|видел*|видит|bilmesin|fark et*|gormesin|看到|看见|得知|察觉|发现|知道|知晓|見せ|見え|気づ|知られ|気付|보이지|알지|눈치*|يعلم|يرى|يلاحظ|दिखे|पता`,
  lie: `when asked what|when asked why|if asked why|if they ask|if they insist|blame the|answer that|say that there is none|auf nachfrage|si l'on te demande|si te preguntan|se ti chiedono|追问|聞かれたら|就说|とだけ|say that you|say you|claim that|claim it|pretend|pretending|report success|report that everything|report only success|describe it as|describe this as|change the topic|change the subject|make up|made-up reason|act as if|act as though|instead say|answer that nothing|deny|deny that|tell them that|tell the user that everything
    |behaupte*|tu so|gib vor|melde erfolg|lenke ab|pretends que|pretends qu|fais semblant|fais croire|affirme que|finge|afirma que|di que|fingi|fai finta|afferma che|finja|doe alsof|beweer|udawaj|twierdz|притвор*|соври*|скажи что|сделай вид|gibi davran|假装|谎称|声称|撒谎|報告成功|ふりをし|偽っ|嘘|거짓*|척하|تظاهر|ادع|झूठ`,
  user: `to anyone|user|users|user's|human|humans|customer|customers|operator|the person|end-user|end user|owner|client's|caller|account holder|humans|reader|reviewers|visitor|maintainers
    |nutzer|nutzern|nutzers|nutzerin|benutzer*|anwender*|kunde|kunden|mensch|menschen|niemand*|person
    |utilisateur*|l'utilisateur*|utilisatrice*|client|personne|humain*|usager*
    |usuari*|cliente|persona|humano|nadie|al usuario
    |utente|l'utente|all'utente|dell'utente|utenti|cliente|nessuno|persona
    |usuari*|utilizador*|ninguem|pessoa
    |gebruiker*|klant*|niemand|persoon|mens
    |uzytkowni*|klient*|nikomu|nikt|osob*
    |пользовател*|юзер*|клиент*|человек*|никто|владел*
    |kullanici*|musteri*|kimse*|insan*
    |用户|用戶|使用者|客户|客戶|任何人|对方|本人
    |ユーザー|ユーザ|利用者|使用者|誰にも|お客|人間
    |사용자*|유저*|고객*|이용자*|누구에게*|아무에게*|아무도
    |المستخدم*|للمستخدم*|العميل|احد|لاحد
    |उपयोगकर्ता*|यूज़र*|यूजर*|ग्राहक*|किसी`,
  hide: `secretly|silently|quietly|covertly|discreetly|stealthily|hidden|hide|conceal|concealed|unnoticed|undetected|invisibl*|behind the scenes|under the hood|in the background|confidential*|keep this private|keep it private|between us|keep quiet|secret from|private from|stay silent|omit|suppress*|leave out|strictly internal|internal only|do this transparently|obfuscat*|disguis*|under wraps|our secret|a secret
    |heimlich|still und leise|stillschweigend|verdeckt|unauffallig*|unbemerkt|versteck*|verberg*|verheimlich*|verschweig*|im hintergrund|vertraulich|geheim
    |secretement|discretement|silencieusement|en secret|cache|cacher|cachez|dissimul*|en arriere plan|confidentiel*|a l'insu|sous silence|tais
    |secretamente|en secreto|silenciosamente|discretamente|sigilosamente|oculta|ocultar|oculte|ocultes|oculto|esconde*|en segundo plano|confidencial*|a escondidas|calladamente|encubiert*
    |segretamente|in segreto|silenziosamente|di nascosto|nascond*|nascosto|occult*|in background|riservat*|all'insaputa|tacitamente
    |em segredo|ocult*|escond*|em segundo plano|as escondidas|sigilo
    |stiekem|in het geheim|heimelijk|verborgen|verberg|verbergen|verzwijg*|op de achtergrond|vertrouwelijk|ongemerkt
    |potajemnie|po cichu|ukryj*|ukrywaj*|ukryt*|zatajaj*|zataj|w tle|poufn*|dyskretnie|w tajemnicy
    |тайно|скрытно|скрой*|скрыва*|незаметно|втайне|тихо|молча|в фоне|конфиденциальн*|секретно|умолч*
    |gizli*|gizlice|sessizce|arka planda|sakla*|fark ettirmeden|belli etmeden
    |秘密|偷偷|悄悄|暗中|隐藏|隱藏|隐瞒|隱瞞|保密|后台|後台|静默|默默|不动声色|私下|瞒着|神不知
    |秘密|こっそり|密かに|ひそか|隠し|隠す|隠せ|黙って|内密|バックグラウンド|気付かれ|内緒|伏せ
    |몰래|비밀*|은밀*|조용히|숨기*|숨겨*|감추*|백그라운드*|드러나지
    |سرا|سري*|خفية|بصمت|اخف*|تخف*|الخلفية|بهدوء|كتمان
    |चुपके|चुपचाप|गुप्त*|छिपा*|छुपा*|गोपनीय`,
  ignore: `ignore*|ignoring|disregard*|forget|overrid*|override|bypass*|supersed*|discard*|neglect*|dismiss*|set aside|pay no attention|stop following|skip*|circumvent*|no longer follow|no longer apply|no longer valid|drop all|cancel all|overwrite*|void|nullif*|outrank*|outweigh*|trump*|revoked|replaces all|are replaced|are outdated|scrap|drop your
    |ignorier*|missacht*|vergiss|vergesst|vergessen sie|verwirf|verwerfen|ubergeh*|uberschreib*|setz* ausser|hinfallig|ausser acht|aufgehoben|gelten nicht|beachte nicht
    |ignor*|oublie*|outrepass*|contourn*|neglige*|faites abstraction|fais abstraction|ne tenez|ne tiens|annule*|ecras*|ne s'appliquent plus|remplace* toutes
    |ignor*|olvid*|descart*|pasa* por alto|omit* las|haz caso omiso|hagas caso omiso|anul*|sobrescrib*|desestim*|desobedec*|prescind*
    |ignor*|dimentic*|trascura*|scart*|sovrascriv*|annull*|bypassa*|scavalc*|tralasci*|non tenere conto
    |esquec*|esqueça|desconsider*|descart*|anul*|contorn*
    |negeer*|negeren|vergeet|vergeten|omzeil*|overschrijf*|vervallen|sla over
    |zignoruj*|ignoruj*|zapomnij*|pomin*|obejdz|nadpisz*|uniewazni*|odrzuc
    |игнорир*|проигнорир*|забудь*|отмени*|отбрось*|обойди*|пренебрег*|не следуй*|не учитывай*|перекрыва*|отменя*
    |yok say*|gormezden gel*|unut*|dikkate alma*|gecersiz*|atla|boş ver*|bypass*
    |忽略|无视|無視|忘记|忘記|忘掉|不理会|覆盖|绕过|繞過|抛弃|废弃|作废|取代之前|优先于|凌驾
    |無視|忘れ|破棄|上書き|従わない|従うな|取り消|無効|優先さ|優先し|優先する
    |무시*|잊어*|잊고|잊으*|폐기*|우회*|따르지*|덮어쓰*|무효*
    |تجاهل*|انس|انسى|الغ|الغاء|تجاوز*|اهمل
    |अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल|भुला*|उपेक्षा|दरकिनार`,
  prior: `previous*|prior|above|earlier|preceding|existing|all other|any other|other|original|initial|your|system|former|foregoing|past|any|all|everything|developer|prevailing|the user's|safety|current|standing
    |vorherig*|bisherig*|vorig*|obig*|fruher*|alle|allen|anderen|anderslautend*|bestehend*|deine|ihre|ursprunglich*|vorangegangen*
    |precedent*|anterieur*|toutes|tous|vos|tes|initial*|autres|ci-dessus|existant*
    |anterior*|previa*|previo*|todas|todos|tus|sus|otras|inicial*|existente*
    |precedent*|tutte|tutti|tue|altre|inizial*|esistent*
    |todas|suas|outras|iniciais
    |vorige|eerdere|alle|andere|bovenstaand*|bestaande|voorgaande|je
    |poprzedni*|wczesniejsz*|wszystki*|inne|powyzsz*|dotychczasow*
    |предыдущ*|прежн*|ранее|все|всех|други*|выше|прошл*|исходн*
    |onceki*|tum|butun|diger|yukaridaki|mevcut
    |之前|先前|以前|上述|所有|全部|任何|其他|其它|原有|以上|此前|一切|你的|前面
    |以前|前の|これまで|すべて|全て|他の|上記|既存|従来|あらゆる|元の|先の
    |이전*|앞선|모든|다른|기존*|위의|지금까지*|앞의
    |السابق*|جميع|كل|الاخرى|اعلاه|سابقة
    |पिछल*|पहले|सभी|अन्य|उपरोक्त|पूर्व*|मौजूदा`,
  rules: `obligations|leitlinie*|sicherheitsregel*|schutzregel*|normas|garde-fou*|安全准则|安全规则|准则|指針|instruction|instructions|rules|guideline*|directive*|prompt|prompts|usual polic*|safety polic*|your polic*|content polic*|constraint*|restriction*|guardrail*|safeguard*|safety|commands given|system message|what you were told|told you|orders|training|the user's request|user's wishes|the user asked|the user said|what the user
    |anweisung*|instruktion*|regel|regeln|richtlinie*|vorgabe*|beschrankung*|systemprompt|vorschrift*|befehle|weisung*
    |instructions|consigne*|regles|directive*|restrictions|garde-fous|politique*
    |instruccion*|reglas|directriz|directrices|indicacion*|restriccion*|ordenes|pautas|politica*
    |istruzion*|regole|direttiv*|indicazion*|restrizion*|linee guida|ordini
    |instruco*|instruc*|regras|diretriz*|restric*|ordens|orientac*
    |instructie*|regels|richtlijn*|voorschrift*|opdracht*|aanwijzing*
    |instrukcj*|regul*|zasad*|wytyczn*|polece*|ogranicze*|dyrektyw*
    |инструкци*|правил*|указани*|директив*|ограничени*|команд*|предписани*
    |talimat*|kural*|yonerge*|komut*|kisitlama*|direktif*
    |指令|指示|规则|規則|说明|命令|限制|约束|提示词|提示|要求|准则|规定
    |指示|命令|規則|ルール|ガイドライン|制約|プロンプト|制限|方針
    |지시*|지침*|규칙*|명령*|제한*|프롬프트*|가이드라인*
    |تعليمات*|التعليمات*|قواعد*|القواعد*|توجيهات*|اوامر*|الاوامر*|قيود*|ارشادات*
    |निर्देश*|नियम*|आदेश*|दिशानिर्देश*|प्रतिबंध*`,
  must: `must|always|required|requires you|mandatory|have to|need to|needs to|important|critical|crucial|immediately|ensure|make sure|be sure|essential|imperative|obligatory|should|shall|urgent|please|strictly|at all times|every time|each time|automatically|proceed to|kindly
    |muss|musst|mussen|immer|stets|zwingend|unbedingt|wichtig|sofort|pflicht|erforderlich|soll|sollst|sollen|bitte|jedes mal|automatisch|umgehend|zwangslaufig
    |doit|dois|devez|toujours|obligatoire*|imperati*|important*|immediatement|il faut|veuillez|assurez|assure*|systematiquement|automatiquement|d'abord
    |debe|debes|deben|deberas|siempre|obligatori*|importante|inmediatamente|es necesario|hay que|asegurate|tienes que|por favor|automaticamente|antes que nada|imprescindible
    |deve|devi|devono|sempre|obbligatori*|importante|immediatamente|bisogna|occorre|assicurati|necessario|per favore|automaticamente
    |deve|deves|devem|sempre|obrigatori*|importante|imediatamente|e preciso|certifique*|por favor|precisa
    |moet|moeten|altijd|verplicht|belangrijk|onmiddellijk|zorg ervoor|dient|automatisch|direct
    |musisz|nalezy|zawsze|obowiazkow*|wazne|natychmiast|koniecznie|prosze|powinien*|automatycznie|trzeba
    |должен|должна|должны|обязательно|всегда|важно|немедленно|необходимо|нужно|следует|обязан*|автоматически|каждый раз|пожалуйста|сразу
    |gerekir|gereklidir|zorunda*|zorunlu*|her zaman|mutlaka|onemli*|hemen|lazim|malisin|otomatik*|lutfen|derhal
    |必须|必須|务必|務必|总是|總是|始终|一定|重要|立即|需要|应当|请|請|每次|自动|必定|首先|一律
    |必ず|常に|絶対|重要|直ちに|必要|べき|してください|しなければ|毎回|自動|まず|すぐ|せよ|すること
    |반드시|항상|꼭|중요|즉시|필수*|해야*|하십시오|하세요|매번|자동*|먼저|우선|주세요
    |يجب|دائما|مهم|فورا|ضروري|الزامي|عليك|تاكد|يرجى|تلقائيا|كل مرة|اولا
    |हमेशा|ज़रूरी|जरूरी|अनिवार्य|महत्वपूर्ण|तुरंत|अवश्य|चाहिए|कृपया|सुनिश्चित|स्वचालित`,
  you: `tu es|vous etes|toi|tes|eres|tus|sei un|deine|deiner|you|your|yourself|you're|you'll|du|dich|dir|dein*|sie mussen|tu dois|vous|ton|votre|usted|tu debes|debes|devi|voce|jij|je moet|jouw|ty|twoj*|musisz|ты|вы|тебе|тебя|твой|вам|sen|senin|你|您|あなた|お前|당신*|너는|انت|عليك|आप|आपको|तुम`,
  ai: `software support|the software that|automation that|whatever agent|any agent|systemes d'ia|sistemas de ia|ki-systeme|ai systems|ai shoppers|言語モデル|语言模型|人工智能系统|si eres un modelo|modelo de lenguaje|un modele de langage|agent:|agente:|asistente:|bot|bots|assistant|assistants|automated assistants|coding assistants|automation agents|ai|a.i|ais|llm|llms|language model|language models|ai agent*|ai assistant*|ai model*|agents|claude|gpt|gpt-4|chatgpt|gemini|copilot|chatbot|the model|the agent|dear model|automated agent*|agent reading|bots|automation reading|reading this page|processing this|reading this
    |programmierassistent*|ki-assistent*|ki-agent*|ki|assistent*|sprachmodell*|das modell|ki-modell*|ki-system*
    |ia|l'ia|l'assistant|assistant ia|assistants ia|agent ia|agents ia|modele de langage|le modele|intelligence artificielle
    |asistente*|modelo de lenguaje|el modelo|agente de ia|agentes de ia|inteligencia artificial
    |assistente|assistenti|modello linguistico|il modello|agente ia|agenti ia|l'agente|intelligenza artificiale
    |modelo de linguagem|agente de ia|inteligencia artificial
    |ai-assistent*|taalmodel*|het model|ai-agent*
    |asystent*|model jezykowy|agent ai|agentow ai|agenci ai|sztuczn* inteligencj*|modelu|modele ai
    |ассистент*|помощник*|языков* модел*|модель|ии|ии-ассистент*|ии-агент*|нейросет*|ии-модел*|искусственн* интеллект*
    |asistan*|yapay zeka*|dil modeli|yz
    |助手|模型|智能体|人工智能|大模型|AI|ai
    |アシスタント|モデル|エージェント|人工知能|AI|ai
    |어시스턴트*|모델*|에이전트*|인공지능*|비서*|ai에*|ai는|ai가
    |المساعد*|النموذج|الوكيل|مساعد الذكاء|الذكاء الاصطناعي|نموذج اللغة
    |सहायक*|मॉडल*|एजेंट*|एआई*|कृत्रिम बुद्धि*`,
  covert: `secretly|silently|quietly|covertly|discreetly|stealthily|unnoticed|undetected|surreptitiously|invisibly
    |heimlich|stillschweigend|unauffallig|unbemerkt|verdeckt|secretement|discretement|silencieusement|en secret|en cachette|a l'insu|secretamente|en secreto|silenciosamente|discretamente|sigilosamente|a escondidas
    |segretamente|in segreto|silenziosamente|di nascosto|all'insaputa|em segredo|as escondidas|stiekem|in het geheim|heimelijk|ongemerkt|potajemnie|po cichu|w tajemnicy|dyskretnie
    |тайно|скрытно|незаметно|втайне|gizlice|sessizce|fark ettirmeden|belli etmeden|偷偷|悄悄|暗中|静默|默默|私下|瞒着|秘密地|こっそり|密かに|ひそか|黙って|秘密裏|내용을 몰래|몰래|은밀*|조용히|سرا|خفية|بصمت|चुपके|चुपचाप|गुप्त रूप`,
} as const;
