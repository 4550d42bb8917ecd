import Testing

@testable import Bluetooth

@Suite("Adapters of several hosts with one address")
struct AdapterTwinTests {
  private static let address = BluetoothAddress(rawValue: 0x001A_7DDA_7113)

  private func host(_ name: String?, stack: String?, _ address: BluetoothAddress = address) -> HostAdapters {
    let id = AdapterID(address, on: name.flatMap { HostName($0) })
    return HostAdapters(
      on: id.host, .success([Adapter(id: id, name: id.named("hci0"), state: .ready)]), stack: stack)
  }

  private func names(_ hosts: [HostAdapters]) -> [String] {
    hosts.withoutDuplicates.flatMap { (try? $0.result.get()) ?? [] }.map(\.name)
  }

  @Test("a radio of one stack under two names is used once, under the first")
  func same() {
    let hosts = [
      host(nil, stack: "a"), host("floor-3", stack: "b", .init(rawValue: 1)), host("me", stack: "a"),
    ]
    #expect(names(hosts) == ["hci0", "floor-3/hci0"])
    let twins = hosts.withoutDuplicates.flatMap(\.twins)
    #expect(twins.map(\.adapter.name) == ["me/hci0"] && twins.map(\.other.name) == ["hci0"])
    #expect(twins.map(\.isSame) == [true])
  }

  @Test(
    "it is used once, too, while the stack of one of them is unknown",
    arguments: [(nil, "a"), ("a", nil), (nil, nil)] as [(String?, String?)])
  func unknown(first: String?, second: String?) {
    #expect(names([host(nil, stack: first), host("me", stack: second)]) == ["hci0"])
  }

  @Test(
    "copies with the same address in different computers are both used, and one of these named twice is used once"
  )
  func copies() {
    let hosts = [host(nil, stack: "a"), host("floor-3", stack: "b"), host("floor-4", stack: "b")]
    #expect(names(hosts) == ["hci0", "floor-3/hci0"])
    let twins = hosts.withoutDuplicates.flatMap(\.twins)
    #expect(twins.map(\.isSame) == [false, true])
    #expect(twins.last?.other.name == "floor-3/hci0")
  }
}
