package link

import (
	"strconv"
	"strings"

	"shoal/sdk/id"
)

// Two people compare the words on their screens to be sure that nobody sits
// between them. There are four of 256 words, 32 bits, and whoever sits between
// has one try per handshake: the initiator's nonce is committed to in message 1
// and shown in message 3, so neither side of the middle can be chosen after the
// other is known.

// wordList has 256 words of four to seven letters. No two begin with the same
// three letters, or differ in fewer than three.
const wordList = `abbey acorn album almond anchor angel ankle apron arena atlas attic autumn avenue badge
baker ballet bamboo banana barn basil beacon bench berry blanket blossom boat bottle boulder
bread brick bronze bubble bucket buffalo button cabin cactus camel canary cargo castle cedar
cello chalk cheese chimney cinema circle citrus cloud cobalt coconut coffee collar compass
copper couch cradle cricket crown crystal curtain cushion daisy dancer denim desert diamond
dolphin domino donkey dragon drum eagle echo eclipse elbow embassy emerald engine epoch
fabric falcon farmer feather ferret fiddle finger fjord flame forest fossil fresco fridge
galaxy garden gazelle giraffe glacier glove goblet gorilla granite guitar hammock harbor
helmet hobby horizon hostel iceberg igloo indigo insect iris island ivory jaguar jasmine
jester jigsaw journal jukebox jungle kayak kernel kiosk kitten koala lagoon lantern laptop
lemon leopard lettuce library lilac linen lizard lobster lotus lunar lyric magenta mammoth
marble meadow mimosa moose mosaic muffin museum nectar needle nomad nutmeg nylon ocean onion
opera orange orbit orchid oregano otter oxygen pagoda palace papaya parrot peacock pelican
pencil phoenix piano picnic pigeon pillow plaza plywood polo poppy potato powder pretzel
pumpkin puppet pyramid quartz quilt rabbit radio rainbow raven rhubarb ribbon safari salad
sandal sardine school sequoia sesame shell sierra silver sketch skillet sleigh slipper smoke
snail spider sponge spruce squid statue steam summit sunrise syrup tadpole teapot temple
tennis terrace thimble thunder timber topaz tractor trolley tulip tundra turbine tuxedo
ukulele unicorn utopia vacuum vessel violin volcano waffle walnut wasabi wheat whisker
window wombat yacht yodel yogurt zebra zenith zigzag`

// sas returns the words and the digits to compare. hash is the handshake hash
// after message 2, nonce the initiator's.
func sas(hash, nonce [32]byte) (words, digits string) {
	sum := id.Sum("shoal-words/1", hash[:], nonce[:])
	list := strings.Fields(wordList)
	words = list[sum[0]] + " " + list[sum[1]] + " " + list[sum[2]] + " " + list[sum[3]]
	for i := 0; i < 3; i++ {
		// Groups of three digits; the bias of the remainder is below 1 in 4000000.
		n := uint32(sum[4+4*i])<<24 | uint32(sum[5+4*i])<<16 | uint32(sum[6+4*i])<<8 | uint32(sum[7+4*i])
		group := strconv.Itoa(int(n%1000) + 1000)
		digits += " " + group[1:]
	}
	return words, digits[1:]
}
