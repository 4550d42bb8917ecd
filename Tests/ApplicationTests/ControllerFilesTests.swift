import Bluetooth
import DBus
import Foundation
import Host
import Testing

@testable import Application

@Suite("kernel files describe a Bluetooth controller") struct ControllerFilesTests {
  /// A folder that replaces `/`, with these files of /sys.
  private static func within<Result>(
    _ files: [String: String], links: [String: String], _ body: (ControllerFiles) throws -> Result
  ) throws -> Result {
    let root = FileManager.default.temporaryDirectory.appending(path: "roboprov-sys-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    for (path, text) in files {
      let file = root.appending(path: "sys/" + path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    for (path, target) in links {
      let link = root.appending(path: "sys/" + path)
      try FileManager.default.createDirectory(
        at: link.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: target)
    }
    return try body(ControllerFiles(.below(root.path)))
  }

  private static let usb = "devices/pci0000:00/0000:00:14.0/usb1/1-3"

  @Test("a USB dongle has identifiers, names, driver and USB port")
  func dongle() throws {
    let hardware = try Self.within(
      [
        "\(Self.usb)/idVendor": "0bda\n", "\(Self.usb)/idProduct": "8771\n",
        "\(Self.usb)/manufacturer": "Realtek\n", "\(Self.usb)/product": "Bluetooth Radio\n",
        "\(Self.usb)/1-3:1.0/bInterfaceNumber": "00\n",
      ],
      links: [
        "\(Self.usb)/1-3:1.0/driver": "../../../../../../bus/usb/drivers/btusb",
        "\(Self.usb)/1-3:1.0/subsystem": "../../../../../../bus/usb",
        "\(Self.usb)/1-3:1.0/bluetooth/hci0/device": "../../../1-3:1.0",
        "class/bluetooth/hci0": "../../\(Self.usb)/1-3:1.0/bluetooth/hci0",
      ]
    ) { $0.hardware(of: "hci0", adding: AdapterHardware(manufacturer: 93, version: 10)) }
    #expect(
      hardware
        == AdapterHardware(
          manufacturer: 93, version: 10, bus: "usb", identifier: "0bda:8771",
          product: "Realtek Bluetooth Radio", driver: "btusb", path: "usb1/1-3/1-3:1.0"))
  }

  @Test("a dongle may have no names, and long ones are cut after 100 characters")
  func names() throws {
    let product = (0..<101).map { "\($0 % 10)" }.joined()
    for (files, expected) in [
      ([:], nil), (["manufacturer": "\n", "product": product], String(product.prefix(100))),
    ] as [([String: String], String?)] {
      let all = files.merging(["idVendor": "0bda\n", "idProduct": "8771\n", "1-3:1.0/uevent": ""]) { $1 }
      let hardware = try Self.within(
        Dictionary(uniqueKeysWithValues: all.map { ("\(Self.usb)/\($0)", $1) }),
        links: [
          "\(Self.usb)/1-3:1.0/bluetooth/hci0/device": "../../../1-3:1.0",
          "class/bluetooth/hci0": "../../\(Self.usb)/1-3:1.0/bluetooth/hci0",
        ]
      ) { $0.hardware(of: "hci0", adding: nil) }
      #expect(hardware?.identifier == "0bda:8771" && hardware?.product == expected)
    }
  }

  @Test(
    "an adapter on another bus is not that of the same name on this host",
    arguments: [nil, "unix:path=/other"])
  func otherBus(bus: String?) throws {
    let adapter = Adapter(
      id: AdapterID(BluetoothAddress(rawValue: 1)), name: "hci0", state: .ready,
      hardware: AdapterHardware(manufacturer: 93, version: 10))
    let surroundings = Surroundings(
      variables: bus.map { ["DBUS_SYSTEM_BUS_ADDRESS": $0] } ?? [:], bus: .address("unix:path=/none"),
      wall: { Date() },
      write: { _, _ in })
    let hardware = try Self.within(
      ["\(Self.usb)/idVendor": "0bda\n", "\(Self.usb)/idProduct": "8771\n"],
      links: [
        "\(Self.usb)/1-3:1.0/subsystem": "../../../../../../bus/usb",
        "\(Self.usb)/1-3:1.0/bluetooth/hci0/device": "../../../1-3:1.0",
        "class/bluetooth/hci0": "../../\(Self.usb)/1-3:1.0/bluetooth/hci0",
      ]
    ) { files in Surroundings.$current.withValue(surroundings) { files.hardware(of: adapter) } }
    #expect(hardware?.bus == (bus == nil ? "usb" : nil) && hardware?.manufacturer == 93)
  }

  @Test("a controller on a serial line has driver and place, and no identifiers")
  func serial() throws {
    let place = "devices/platform/soc/fe201000.serial/serial0/serial0-0"
    let hardware = try Self.within(
      ["\(place)/uevent": "DRIVER=hci_uart_bcm\n"],
      links: [
        "\(place)/driver": "../../../../../../bus/serial/drivers/hci_uart_bcm",
        "\(place)/subsystem": "../../../../../../bus/serial",
        "\(place)/bluetooth/hci0/device": "../../../serial0-0",
        "class/bluetooth/hci0": "../../\(place)/bluetooth/hci0",
      ]
    ) { $0.hardware(of: "hci0", adding: nil) }
    #expect(
      hardware == AdapterHardware(bus: "serial", driver: "hci_uart_bcm", path: "serial0/serial0-0"))
  }

  @Test("a controller on a bus without names of its own is called by its last part alone")
  func otherPlace() throws {
    let place = "devices/platform/soc/fe300000.mmcnr/mmc_host/mmc1/mmc1:0001/mmc1:0001:3"
    let hardware = try Self.within(
      ["\(place)/uevent": ""],
      links: [
        "\(place)/bluetooth/hci0/device": "../../../mmc1:0001:3",
        "class/bluetooth/hci0": "../../\(place)/bluetooth/hci0",
      ]
    ) { files -> AdapterHardware? in
      #expect(files.hardware(of: "../bluetooth/hci0", adding: nil) == nil)
      return files.hardware(of: "hci0", adding: nil)
    }
    #expect(hardware == AdapterHardware(path: "mmc1:0001:3"))
  }

  @Test("an adapter that the kernel does not list has only the facts of the Bluetooth stack")
  func unknown() throws {
    try Self.within(["class/bluetooth/note": ""], links: [:]) { files in
      #expect(files.hardware(of: "hci0", adding: nil) == nil)
      #expect(files.hardware(of: "../x", adding: nil) == nil)
      let known = AdapterHardware(manufacturer: 2)
      #expect(files.hardware(of: "hci9", adding: known) == known)
    }
  }

  @Test("this host has a kernel and an operating system")
  func host() {
    #expect(HostEnvironment.kernel?.hasPrefix("Linux ") == true)
    #expect(HostEnvironment.operatingSystem?.isEmpty == false)
  }
}
