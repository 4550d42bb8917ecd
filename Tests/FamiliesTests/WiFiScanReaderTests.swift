import Model
import Testing

@testable import Families

@Suite("lists of WiFi networks from a Robo Sensor")
struct WiFiScanReaderTests {
  private static func read(_ notifications: [[UInt8]]) -> WiFiScanReader {
    var reader = WiFiScanReader()
    for notification in notifications { reader.take(notification) }
    return reader
  }

  private static func words(_ notifications: String...) -> [String] {
    read(notifications.map { Array($0.utf8) }).result.networks.map { "\($0.ssid) \($0.rssi)" }
  }

  @Test("a list has the network of each line, with commas in SSIDs and any line ends")
  func lines() {
    #expect(Self.words("Guests,-52\nOffice, 2nd floor,-61\nEND") == ["Guests -52", "Office, 2nd floor -61"])
    #expect(Self.words("Guests,-52\r\nOffice,-61\r\nEND\r\n") == ["Guests -52", "Office -61"])
    #expect(Self.words("END,-40\nMORE,-41\nEND") == ["END -40", "MORE -41"])
    #expect(Self.words(",-70\nEND") == [" -70"], "the SSID of a hidden network is empty")
    #expect(Self.words("END").isEmpty)
    let longest = String(repeating: "S", count: 32)
    #expect(Self.words("\(longest),20\nEND") == ["\(longest) 20"])
  }

  @Test("a list is the same for any split over notifications, even within lines and characters")
  func split() {
    let text = Array("Königin Elisabeth,-5\nGuests,-52\nOffice, 2nd floor,-61\nA,-7".utf8)
    let whole = Self.read([text + Array("\nEND".utf8)]).result.networks
    #expect(whole.count == 4)
    for first in 1..<text.count {
      for second in first..<text.count {
        let pieces = [text[..<first], text[first..<second], text[second...]].map(Array.init)
        let marked = [
          pieces[0] + Array("\nMORE".utf8), pieces[1] + Array("\nMORE".utf8), pieces[2] + Array("\nEND".utf8),
        ]
        #expect(Self.read(marked).result.networks == whole, "\(first), \(second)")
      }
    }
  }

  @Test("complete lines without a line end between notifications are separated")
  func wholeLines() {
    #expect(Self.words("Guests,-52\nMORE", "Office,-61\nMORE", "END") == ["Guests -52", "Office -61"])
    #expect(Self.words("Guests,-52", "Office,-61") == ["Guests -52", "Office -61"])
    #expect(Self.words("Guests,-5\nMORE", "2\nOffice,-61\nEND") == ["Guests -52", "Office -61"])
    #expect(Self.words("Gue\r\nMORE", "sts,-52\r\nEND") == ["Guests -52"])
    #expect(Self.words("A,-5\n", "B,-60") == ["A -5", "B -60"])
    #expect(Self.words("A,-10", "B,-60") == ["A -10", "B -60"])
    #expect(Self.words("A,-9", "B,-60") == ["A,-9B -60"], "an RSSI of one digit is incomplete")
    let longest = String(repeating: "S", count: 32)
    #expect(Self.words("A,-50\n,-70\nMORE", "B,-60\nEND") == ["A -50", " -70", "B -60"])
    #expect(Self.words("A,-50\n\(longest),-70\nMORE", "B,-60") == ["A -50", "\(longest) -70", "B -60"])
  }

  @Test("a list shows its progress")
  func progress() {
    func progress(_ notifications: String...) -> WiFiScanReader.Progress {
      Self.read(notifications.map { Array($0.utf8) }).progress
    }
    #expect(progress() == .nothing)
    #expect(progress("A,-50\nMORE") == .more)
    #expect(progress("A,-50\nMORE", "B,-60") == .open)
    #expect(progress("A,-50\nMORE", "B,-60\nEND") == .ended)
    #expect(progress("MORE") == .more && progress("END\n") == .ended)
    #expect(Self.words("A,-50\nEND", "B,-60") == ["A -50"], "notifications after END are ignored")
  }

  @Test(
    "a line that is no network is left out and counted",
    arguments: [
      "Guests", "Guests,", "Guests,x", "Guests,-200", "Guests,21", "\(String(repeating: "S", count: 33)),-50",
    ])
  func unreadable(_ line: String) {
    let result = Self.read([Array("A,-50\n\(line)\nB,-60\nEND".utf8)]).result
    #expect(result.networks.map(\.ssid) == ["A", "B"] && result.unreadable == 1)
  }

  @Test("a list is bounded for any input")
  func bounded() {
    var reader = WiFiScanReader()
    for _ in 0..<10_000 { reader.take(Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ,-50\nMORE".utf8)) }
    for byte in [0x0A, 0x58, 0x0A, 0x58] as [UInt8] { reader.take([byte]) }
    // 16 kB of lines, and the rest of one.
    #expect(reader.result.networks.count == 528 && reader.result.unreadable == 1)
  }
}
