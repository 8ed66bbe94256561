/**
 * Words that sound the same or so nearly that a recogniser takes one for the other. A group a line; the table is all that the
 * homophone check knows, so that a paraphrase never passes as one.
 */
const groups = `
ad add
aid aide
ail ale
air heir ere
aisle isle i'll
allowed aloud
altar alter
ant aunt
arc ark
ascent assent
ate eight
aural oral
away aweigh
bail bale
bare bear
baron barren
base bass
beach beech
beat beet
been bin
berth birth
blew blue
boar bore
board bored
boarder border
bough bow
boy buoy
brake break
bread bred
bridal bridle
broach brooch
buy by bye
canvas canvass
capital capitol
carat carrot caret
cast caste
cell sell
cellar seller
censor sensor
cent scent sent
cereal serial
chews choose
choir quire
chord cord
cite sight site
coarse course
complement compliment
core corps
council counsel
creak creek
crews cruise
cue queue
currant current
days daze
dear deer
desert dessert
dew due do
die dye
discreet discrete
draft draught
dual duel
earn urn
elicit illicit
ensure insure
eyelet islet
faint feint
fair fare
feat feet
find fined
fir fur
flair flare
flea flee
flew flu flue
flour flower
for four fore
formally formerly
fort fought
forth fourth
foul fowl
gait gate
gneiss nice
grate great
groan grown
guessed guest
hail hale
hair hare
hall haul
hangar hanger
heal heel he'll
hear here
heard herd
hi high
higher hire
him hymn
hoarse horse
hole whole
holy wholly
hour our are
idle idol
in inn
it's its
key quay
knead need
knew new
knight night
knot not
know no
knows nose
lain lane
lead led
leak leek
lessen lesson
lie lye
links lynx
loan lone
loch lock
made maid
mail male
main mane
manner manor
marshal martial
meat meet
medal meddle
mind mined
missed mist
moan mown
moat mote
moor more
moose mousse
morning mourning
muscle mussel
naval navel
none nun
oar or ore
one won
paced paste
pail pale
pain pane
pair pear pare
pause paws
peace piece
peak peek pique
peal peel
pedal peddle
peer pier
plain plane
pole poll
poor pour pore
practice practise
pray prey
precedence precedents
presence presents
prince prints
principal principle
profit prophet
quarts quartz
rain reign rein
raise rays raze
rap wrap
read red
read reed
real reel
right rite write
ring wring
road rode rowed
role roll
root route
rose rows
rote wrote
rung wrung
sail sale
scene seen
sea see
seam seem
seas sees seize
sew so sow
shear sheer
shore sure
side sighed
slay sleigh
soar sore
sole soul
some sum
son sun
staid stayed
stair stare
stake steak
stationary stationery
steal steel
step steppe
stile style
straight strait
suite sweet
tail tale
tea tee
team teem
tear tier
than then
their there they're
threw through
throne thrown
thyme time
tic tick
tide tied
to too two
toad towed
toe tow
ton tun
vain vane vein
vary very
wail whale
waist waste
wait weight
waive wave
war wore
ware wear where
warn worn
way weigh
we we've
we're were where
weak week
weather whether
which witch
who's whose
wood would
yoke yolk
yore your you're
accept except
advice advise
affect effect
breath breathe
choose chose
lose loose
of off have
quiet quite
thirteen thirty
fourteen forty
fifteen fifty
sixteen sixty
seventeen seventy
eighteen eighty
nineteen ninety
`;

const groupsByWord = new Map<string, Set<number>>();
for (const [index, line] of groups.trim().split('\n').entries())
  for (const word of line.split(' ')) groupsByWord.set(word, (groupsByWord.get(word) ?? new Set()).add(index));

/** Whether two words, in lower case, stand in one group. A plural or a possessive of both counts as its word. */
export function soundAlike(one: string, other: string): boolean {
  return (
    inOneGroup(one, other) ||
    endings.some((ending) => one.endsWith(ending) && other.endsWith(ending) && inOneGroup(stem(one, ending), stem(other, ending)))
  );
}

const endings = ["'s", 's', 'ed', 'ing'] as const;
const stem = (word: string, ending: string): string => word.slice(0, -ending.length);

function inOneGroup(one: string, other: string): boolean {
  const [of, others] = [groupsByWord.get(one), groupsByWord.get(other)];
  return one !== other && of !== undefined && others !== undefined && [...of].some((group) => others.has(group));
}
