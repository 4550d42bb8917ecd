import Testing

@testable import Application

@Suite("numbers and addresses of options") struct BoundsTests {
  @Test("the number of rooms that may fail is a number, or a share of all")
  func failures() {
    func limit(_ text: String, of rooms: Int = 250) -> Int? {
      FailureAllowance(argument: text)?.limit(of: rooms)
    }
    #expect(limit("0") == 0 && limit("5") == 5 && limit("1000000") == 1_000_000)
    #expect(limit("0%") == 0 && limit("1%") == 2 && limit("100%") == 250)
    for text in ["-1", "1000001", "101%", "-1%", "", "%", "5 %", "five"] {
      #expect(limit(text) == nil, "\(text)")
    }
  }

  @Test("the page looks at the record for a tenth of the time at most, and at least every 0.8 s")
  func pauses() {
    let looks = [0, 1, 22, 23, 50, 88, 89, 5000].map { PageServer.pause(after: .milliseconds($0)) }
    #expect(looks == [200, 200, 200, 207, 450, 792, 800, 800].map { .milliseconds($0) })
  }

  @Test("only this computer reaches its loopback addresses")
  func loopback() {
    for address in ["127.0.0.1", "127.0.1.1", "::1"] {
      #expect(PageServer.Place(address: address, port: 0).isLocal)
    }
    for address in ["192.168.1.127", "::", "0.0.0.0", "fe80::1"] {
      #expect(!PageServer.Place(address: address, port: 0).isLocal)
    }
  }
}
