import DBus
import Testing

@Suite("Validation of names and signatures")
struct NameTests {
  static let long = String(repeating: "a", count: 254)

  @Test(
    "a valid object path is accepted unchanged",
    arguments: ["/", "/a", "/org/bluez/hci0/dev_AA_BB", "/_/0"])
  func objectPath(_ text: String) {
    #expect(ObjectPath(text)?.description == text)
  }

  @Test(
    "an invalid object path is refused",
    arguments: ["", "a", "//", "/a/", "/a//b", "/a-b", "/a.b", "/ä", "/a\0", "/a b", "\0", "/a\n"])
  func noObjectPath(_ text: String) {
    #expect(ObjectPath(text) == nil)
  }

  @Test(
    "a valid bus name is accepted unchanged",
    arguments: ["org.bluez", ":1.42", "a-b.c_d", "a.b1", ":1.2.3"])
  func busName(_ text: String) {
    #expect(BusName(text)?.description == text)
  }

  @Test(
    "an invalid bus name is refused",
    arguments: [
      "", "org", ".org.a", "org..a", "org.a.", "1a.b", "a.1b", ":1", ":", "a.b\0", "a.ü", "a." + long,
    ])
  func noBusName(_ text: String) {
    #expect(BusName(text) == nil)
  }

  @Test(
    "an invalid interface name is refused",
    arguments: ["", "a", "a.b-c", "a.1", "a..b", "a.b\0", ":1.2", "a b.c"])
  func noInterface(_ text: String) {
    #expect(InterfaceName(text) == nil)
  }

  @Test("an invalid member name is refused", arguments: ["", "1a", "a.b", "a-b", "a\0", "ä", long + "aa"])
  func noMember(_ text: String) {
    #expect(MemberName(text) == nil)
  }

  @Test(
    "a valid signature has the expected number of complete types",
    arguments: [
      ("", 0), ("y", 1), ("a{sv}", 1), ("oa{sa{sv}}", 2), ("(i(s)av)", 1), ("aay", 1), ("ybnqiuxtdsogv", 13),
      (String(repeating: "a", count: 32) + "y", 1),
      (String(repeating: "(", count: 32) + "y" + String(repeating: ")", count: 32), 1),
      (String(repeating: "y", count: 255), 255),
    ])
  func signature(_ text: String, types: Int) {
    #expect(DBusSignature(text)?.completeTypes.count == types)
  }

  @Test(
    "an invalid signature is refused",
    arguments: [
      "a", "()", "(", ")", "(y", "{sv}", "a{vs}", "a{s}", "a{svv}", "a{(s)v}", "z", "y\0", "aa", "a{sv", "ä",
      String(repeating: "a", count: 33) + "y",
      String(repeating: "(", count: 33) + "y" + String(repeating: ")", count: 33),
      String(repeating: "y", count: 256),
    ])
  func noSignature(_ text: String) {
    #expect(DBusSignature(text) == nil)
  }

  @Test(
    "an object path other than `/` has a parent; a path appends one valid element, and is at or below itself and its ancestors"
  )
  func pathHierarchy() {
    let adapter: ObjectPath = "/org/bluez/hci0"
    #expect(adapter.parent == "/org/bluez")
    let root: ObjectPath = "/"
    #expect(root.appending("a")?.parent == root)
    #expect(root.parent == nil)
    #expect(adapter.appending("dev_1") == "/org/bluez/hci0/dev_1")
    #expect(root.appending("a") == "/a")
    #expect(adapter.appending("") == nil)
    #expect(adapter.appending("a/b") == nil)
    #expect(adapter.isAtOrBelow("/org/bluez"))
    #expect(adapter.isAtOrBelow(adapter))
    #expect(adapter.isAtOrBelow("/"))
    #expect(!adapter.isAtOrBelow("/org/blue"))
  }

  @Test("the text of a match rule has each condition, with apostrophes escaped")
  func matchRuleText() {
    let rule = MatchRule(
      sender: "org.bluez", pathNamespace: "/org/bluez", interface: "a.b", member: "C", arg0: "it's, 'so'")
    #expect(
      rule.text == #"type='signal',sender='org.bluez',path_namespace='/org/bluez',interface='a.b',"#
        + #"member='C',arg0='it'\''s, '\''so'\'''"#)
  }

  @Test(
    "a malformed object path is refused as text, and ends the process as a literal",
    arguments: ["not a path", "/a/"])
  func malformedLiteral(_ text: String) async {
    #expect(ObjectPath(text) == nil)
    await #expect(processExitsWith: .failure) { [text = text as String] in
      _ = ObjectPath(stringLiteral: text)
    }
  }
}
