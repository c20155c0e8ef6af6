import { splitWords, stemWord } from "./words.ts";

/**
 * What people say when they name a wish and not a tool, and the words of this field that it comes down to. Used for queries
 * only: `lunch` in a query is about a calendar, and no tool says so. A line is: words of the field : what people say.
 */
const lines = `
create event calendar : lunch, dinner, breakfast, brunch, coffee with, drinks with, date with, dentist, doctor, haircut, birthday, party, wedding, gym, see each other, catch up with, block my afternoon, block some time, book a room, set up a call, arrange a, get together, pencil in, next monday, next tuesday, next wednesday, next thursday, next friday, next week
list events calendar : am i busy, am i free, do i have time, what is on, whats on, my day, my week, my schedule, my appointments, tomorrow morning, tomorrow afternoon, this afternoon, this evening, tonight, weekend plans
respond event invitation : can t make it, cannot make it, won t make it, invited me, invited to, turn down, say yes to, rsvp, accept the meeting, skip the meeting
freebusy availability : when does, when is everyone, when can we, has time, have time, suits everyone, common slot
create task todo : forget to, don t forget, remind me, remember to, have to buy, need to buy, to do list, todo, errand, groceries, shopping list, chores, homework, water the plants, pay the rent, call mum, action item, follow up on, put on my list
close complete task : tick off, cross off, check off, done with, is done, finished with, got that done
send post message slack channel : let the team know, let everyone know, let them know, tell the team, tell everyone, tell my colleagues, inform the, announce, spread the word, give a heads up, heads up, ping, shout out, nudge, congratulate, thank, say hello, say hi, apologize
channel history messages : what did they say, what was said, what was discussed, did i miss, catch me up, while i was away, conversation about
search read email : what did, wrote me, write to me, wrote last, heard from, landlord, newsletter, letter from, in my inbox, correspondence, confirmation mail, tracking number, boarding pass
create filter email : drowning in, too many newsletters, spam, junk, stop getting, unwanted, clutter, clean up my inbox, sort my mail, skip the inbox, automatically archive
draft email : don t send, not send it yet, before i send, for me to review, for later sending, write an answer to
create pull merge request : ready for review, is ready, others should look, have someone review, get feedback on my, propose my, contribute, hand in my, submit my change, up for review
merge pull request : looks good, review is fine, get it into main, land it, ship it, approve and, into master, into main, integrate my
git blame log history : who broke, who wrote, who changed, who touched, who is to blame, when did this, who introduced, whose code, responsible for
git reset checkout reflog stash : messed up, go back to, screwed up, throw away, start over, undo my, wrong commit, accidentally committed, lost my work, lost commits, bring back, get rid of my changes, discard everything, changed since, as it was
git stash : put aside, set aside, uncommitted work, half finished, half done, not ready to commit, park my
git clone : onto my machine, on my machine, onto my laptop, get the code, check out the project, copy a remote
fork repository : own copy of, my own version of, somebody s project, open source project
build pipeline failure logs : is red, turned red, went red, is broken, doesn t build, won t compile, ci fails, tests fail, failing on main, green again, build broke
flaky tests : sometimes fails, sometimes pass, randomly fail, unreliable tests, works on retry
rollback version previous : go back, was bad, broke production, revert the, undo the deployment, one before, last good, as before, shipped, since the deploy, roll back, restore the previous, back out
deploy release : go live, goes live, put online, ship to, roll out, push to production, make available, in production, to customers, get it out
schedule release publish : go live on, goes live, at midnight, at a later, on launch day, embargo, later today, set when
logs describe status errors : keeps crashing, keep crashing, crashes, crashing, crash loop, don t know why, find out why, what is wrong, what s wrong, what went wrong, stopped working, not working, doesn t work, falls over, acting up, misbehaving, weird, dead, unhealthy, restarts, closed by itself, quits
search issues errors sentry : users say, users complain, users report, customers complain, since yesterday, since the update, since last release, exceptions, stack trace, blank page, white screen, error rate, new bugs
analyze issue root cause : root of, cause of, why does it, why is it happening, what causes, fix suggestion
crash device logs : closed by itself, app quit, app died, froze, freezes, hangs on her phone, on her phone
performance trace lighthouse audit : sluggish, laggy, slow to load, loads slowly, takes forever, takes ages, feels slow, snappy, too slow, speed up, page speed, web vitals, janky, how fast
explain slow query index performance : query is slow, slow query, not using an index, takes long, optimize query, full scan
locks kill blocking process : hangs, stuck, is blocked, blocks the, blocking, deadlock, won t finish, runs forever, never ends, frozen
scale replicas : more capacity, more traffic, many visitors, black friday, peak, rush, launch day, can t cope, overloaded, under load, more instances, more power, handle the load, beef up, fewer machines
maintenance : be right back, right back, back soon, closed for, temporarily closed, take the site down, site offline, work in progress page, under construction
backup : in case something, before we touch, keep a copy, safe copy, insurance, disaster
restart : turn it off and on, bounce, kick it, reboot, give it a kick, fresh start
update feature flag toggle : for everyone, for all users, for beta users, for some users, off right now, kill switch, switch the new, gradually, ten percent, only for testers, experiment, a b test, new checkout, new design
branch : risky, without touching production, without affecting, safely try, try out, playground, sandbox, safe place, throwaway copy, experiment with the schema, staging copy
firewall rule : can t reach, cannot reach, can t connect, home ip, my ip, whitelist, allow list, blocked from, let me in, open up access, timeout connecting
permission share access : let her see, let him see, let them see, can see it, give access, may open, lets others open, read only access, collaborate on, take away access, no longer see
secret key credential : hide the password, store the password, api key, where is the password, sensitive value, not in the code
environment variable set : configure a variable, setting for my, different in production, turn on debug
advisors security check : set up safely, is it safe, is it secure, hackers, vulnerable, exposed, leak, missing policies, best practice, hardened
cost pricing : how much will, how expensive, per month, what will i pay, monthly bill, cheaper, afford, save money, budget, what does it cost
payment link invoice : pay me, get paid, charge a, collect money, accept payments, pay online, sell online, take payments, buy from me, donate, bill a, owes me
refund payment : money back, wants her cash, wants his cash, give back, returned the item, broken item, wrong item, never arrived, charged twice, unhappy customer, compensate
dispute chargeback : went to the bank, bank took, complained to his bank, reversed the payment, claims he never, fraud claim, took the money back
coupon discount : percent off, cheaper for, sale price, promo, reward loyal, special offer, black friday deal, voucher
cancel subscription : end the plan, ends his plan, monthly plan, stop charging, stop billing, leave us, no longer wants, quit the plan, unsubscribe
balance : how much money, in our account, cash position, what do we have, earned so far, payout
search customer company contact crm hubspot : already know, do we know, existing customer, known to us, customer of ours, prospect, in our crm, who is our contact
create note engagement crm hubspot : log a call, note down a call, spoke with, talked to a lead, met with a customer, write down what the customer, sales call
places search nearby : hungry, thirsty, where can i eat, something to eat, around here, close by, near me, near my hotel, open now, fuel, gas station, pharmacy, hotel, cafe, bakery, bar, gym near, what is around, somewhere to
directions route : how do i get to, how to get to, way to, get to the airport, by bike, by car, by bus, on foot, by train, cycle to, drive to, walk to, fastest way, commute
isochrone reachable travel time : be at work in, within twenty minutes, within half an hour, how far can i, minutes away, in twenty minutes, in half an hour, live close to
reverse geocode coordinates address : what address, where was this taken, which street, where is this point, lat lon
geocode address coordinates : put on a map, pinpoint, where exactly is
elevation : how high, steep, climb, flood, sea level
map : on a map, where all our, show the locations, store locations
image search : photo of, picture of a, pictures of, image of, images of, wallpaper, illustration for, stock photo
image generation : draw me, paint, artwork, generate a picture, make an illustration, logo idea
video search : watch, how to video, clip of, tutorial video
news search : in the news, what happened, current events, headlines, latest on, what is going on, election, today s
web search : who is, what is the, look up, google, find out about, is it true, facts about, on the internet, latest version of, research a
research papers : science say, does science, scientific, study about, studies on, evidence for, peer reviewed, scholars, academic
scrape extract page content : only the text, without ads, without the ads, plain text of, get the content, copy the table from, pull the prices, read this article, what does this page say, summarize this page, from this site, from this url
monitor page changes : tell me as soon, tell me when, let me know when, as soon as, price drops, drops below, back in stock, keep an eye, notice when, when it changes, whenever, watch for
webtest availability : is our site up, pings our, from outside, uptime, every few minutes, goes down at night, alert us
fill form : register an account, sign up for, sign me up, apply for, enter my details, check out for me, order online, book online, complete the purchase, create an account on
navigate browser : go to the site, open the site, visit, have a look at the page, pull up
click : press the, hit the, tap the, accept cookies, cookie banner
login : log me in, sign me in, get into my account
screenshot : what does it look like, how does it look, capture, show me the page, grab a picture, visual proof
record screen : film, on video, screen capture, make a clip, show what happens, reproduce on video
console messages errors : javascript error, in the console, printed by the page, warnings of the page
network requests : http traffic, calls the page makes, which api does, what the page sends, traffic of
emulate : pretend, simulate, slow connection, slow phone, 3g, offline mode, dark mode, as if, imitate, throttle, another device
location gps : works for users in, as if i were in, fake position, spoof, from another country, in tokyo, in paris, in london, abroad
orientation : sideways, upside down, rotate the, landscape, portrait, turn the phone, tilt
set device volume button : louder, home button, go to home screen
type text : write into, enter into, put in the box
upload file : hand in, attach my, add the signed, put my cv, submit the document, provide the file
attachment record : signed contract, pdf to the, file to the row, to the customer s row
list directory size : eating my disk, disk space, running out of space, disk is full, what takes up, biggest files, large files, clean up my disk, free up
directory tree : nested, folder structure, project structure, layout of the folder, everything below
search files : where did i put, can t find my, where is my, lost a file, somewhere on my, which file has, that presentation
move rename file : different name, call it, under another name, tidy up, reorganize, put into the folder, other folder
edit file : replace the word, change a line, fix a typo, correct the, tweak
read file : what is in, what does the file, show me the contents, look inside, open the document
share link drive : send a big file, too big for mail, link to my document, url that lets
search drive onedrive : in my cloud, in my drive, cloud drive, that presentation, office document
excel range update : in my workbook, in my sheet, column of, fill in the numbers, in a cell
excel chart : picture of the sales, graph in my workbook, chart from my sheet, visualize the sheet
create page notion : meeting protocol, meeting notes, minutes, wiki, write down, knowledge base, handbook, start a document, project page
append block children page : at the end of, at the bottom of, add a paragraph, append, one more paragraph, another section to the page
comment page : leave a remark, feedback on the page, mention on the page
translate : in spanish, in german, in french, in english, into english, other language, for our french, localized, foreign
summarize : tl dr, long story short, the gist, key points, in short, boil down
create record row : add an entry, new entry, one more row, put into the table, jot down in the table, register a new
update record : mark as, set the status, change the value
sections : divide, split up, groups, group the, chapters, stages of the project, columns of the board
organization chart : who reports, reports to whom, who is the boss, company structure, hierarchy of
fishbone diagram : causes of, brainstorm causes, why defects, cause and effect, root causes in
mind map : brainstorm, collect ideas, ideas about, structure my thoughts, concepts around
radar chart : on five criteria, several criteria, compare phones, strengths and weaknesses, skill profile, multi dimensional
word cloud : which terms, most used words, come up most, survey answers, buzzwords
line chart : over time, per month, over the months, development of, growth of, month by month, year over year
pie chart : share of each, percentages, split of, market share, makes up
bar chart column : compare the, ranking of, per country, side by side, top ten
sankey : from where to where, flows from, where does the money go, energy flows
funnel : where do we lose, drop off, conversion, from visit to purchase
flow diagram : step by step, decision process, how the process, who does what
heat treemap : proportion of nested, budget breakdown
scatter : relationship between, correlation, depend on
histogram boxplot : distribution, how spread, typical values, outliers
waterfall : adds up, from revenue to profit, what contributed
venn : overlap, have in common, both groups
network graph : connected to, who knows whom, dependencies between
add observation entity memory : remember that, keep in mind, note that, never forget that, is allergic, likes, his birthday is, my favourite
search nodes memory graph : what did i tell you, do you remember, what do you know about, as i told you, about my sister, about my family, what have i said
docs library : how do i use, how does one use, current documentation, up to date docs, api of, newest syntax, migrate to, example code for, npm package, python package
search code : where is it used, where do we call, usages of, which repo has, how do others
generate types schema : typings, type definitions, ts types, strongly typed, interfaces from
schema fields : which fields, what columns, how is the table, structure of the table, what is stored, data layout, shape of the data
execute sql query : how many users, how many customers, last signup, from the database, look into the data, select from, look at the data
aggregate : average per, sum per, per category, group by, totals
restore project : wake up, paused, sleeping project, bring back the project, unpause
create project : start something new, from scratch, new initiative
create database : somewhere to store, persist data, place for my data
create vm server : spin up, new machine, rent a machine, another server, box in the cloud
port forward : from localhost, from my laptop, reach a service, locally reach, tunnel to
exec pod container : inside a running, inside the container, shell into, get into the container, ssh into
dsn key : client key, sending crash reports, start reporting, hook up error tracking, connect sentry
send queue message : process later, in the background, hand over to a worker, asynchronously
cron schedule : every night, every hour, every morning, each monday, once a day, regularly, on a schedule, automatically run
domain : own web address, custom address, under our domain, buy a name
bucket storage : store images, host files, keep uploads, place for pictures
image generation transform : crop, resize the image, background of the image, picture smaller
semantic search embeddings : similar documents, meaning of, related texts
thinking : think step by step, think through, reason about, plan carefully, break down the problem
`;

/** What a word or phrase comes down to: words of the field. */
export type Hints = ReadonlyMap<string, readonly string[]>;

/** The longest phrase, in words. */
export const longestHint = 5;

/** By the stems of the phrase, with a space between them. */
export function readHints(): Hints {
  const hints = new Map<string, readonly string[]>();
  for (const line of lines.trim().split("\n")) {
    const [targets = "", phrases = ""] = line.split(" : ");
    const words = splitWords(targets);
    for (const phrase of phrases.split(",")) {
      const key = splitWords(phrase).map(stemWord).join(" ");
      hints.set(key, [...new Set([...(hints.get(key) ?? []), ...words])]);
    }
  }
  return hints;
}
