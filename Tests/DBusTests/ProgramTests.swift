import Foundation
import Testing

@testable import DBus

@Suite("The programs that subscribe to a service", .timeLimit(.minutes(60)))
struct ProgramTests {
  @Test(
    "a match rule's text shows whether it selects a service's signals",
    arguments: [
      ("type='signal',path_namespace='/org/bluez',sender='org.bluez'", true),
      ("type='signal',interface='org.freedesktop.DBus.Properties',sender=':1.4'", true),
      ("type='signal',path_namespace='/org/bluez'", true),
      ("type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.bluez'", false),
      ("type='signal',path_namespace='/org/bluez',sender='org.example'", false),
      ("type='signal'", false),
      ("type='signal',path='/',sender='org.bluez'", true),
      ("type='signal',path='/'", false),
      ("type='signal',path='/org/bluez/hci1/dev_C4_7C_8D_00_00_01'", true),
      ("type='signal',path='/org/bluez/hci1'", true),
      // Another adapter, another service, another key.
      ("type='signal',path='/org/bluez/hci10'", false),
      ("type='signal',path_namespace='/org/bluez/hci10',sender='org.bluez'", false),
      ("type='signal',path_namespace='/org/bluez2'", false),
      ("type='signal',arg0path='/org/bluez/hci1'", false),
    ])
  func rules(rule: String, isOne: Bool) {
    #expect(Connection.asks(rule, for: "org.bluez", ":1.4", about: "/org/bluez/hci1") == isOne)
  }

  @Test("the name of a process is the kernel's name for it")
  func names() throws {
    let name = try #require(BusProgram.nameOfProcess(UInt32(ProcessInfo.processInfo.processIdentifier)))
    #expect(!name.isEmpty && name.utf8.count <= 15 && !name.contains("\n"))
    #expect(BusProgram.nameOfProcess(.max) == nil)
  }

  @Test("the list contains other subscribed programs, but neither this one nor the service")
  func programs() async throws {
    let bus = try await DBusDaemon.start()
    let service = try await bus.connect()
    try await service.requestName("org.bluez")
    let ours = try await bus.connect()
    try await ours.subscribe(MatchRule(sender: "org.bluez")) { _ in }
    #expect(await ours.programs(scanning: "org.bluez", about: "/org/bluez/hci1") == [])
    // A third-party client, which runs until its input ends.
    let client = Process()
    client.executableURL = URL(fileURLWithPath: "/usr/bin/bluetoothctl")
    client.environment = ["DBUS_SYSTEM_BUS_ADDRESS": bus.address, "HOME": "/nonexistent"]
    client.standardInput = Pipe()
    client.standardOutput = FileHandle.nullDevice
    client.standardError = FileHandle.nullDevice
    try client.run()
    defer { client.terminate() }
    var found: [BusProgram] = []
    while found.isEmpty { found = await ours.programs(scanning: "org.bluez", about: "/org/bluez/hci1") ?? [] }
    #expect(found == [BusProgram(id: UInt32(client.processIdentifier), name: "bluetoothctl")])
    await ours.close()
    await service.close()
    await bus.stop()
  }
}
