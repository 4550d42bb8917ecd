import Bluetooth
import Families
import Model
import Testing

@Suite("the family of a device") struct RecognitionTests {
  typealias Condition = RecognitionRule.Condition

  private static let first = BluetoothUUID(short: 0x180A)
  private static let second = BluetoothUUID(short: 0x180F)
  private static let beacon = IdentityRule.iBeacon(uuid: .uuid, major: .major, minor: .minor)

  private static func family(
    _ id: FamilyID, _ service: BluetoothUUID, _ identity: IdentityRule?, _ conditions: [Condition]
  ) -> DeviceFamily {
    var family = DeviceFamily.firefly
    (family.id, family.service, family.identity) = (id, service, identity)
    family.recognition = [RecognitionRule(.present)]
    family.recognition[0].conditions = conditions
    return family
  }

  private static func advertisement(
    _ name: String? = nil, _ services: [BluetoothUUID] = [], data: [BluetoothUUID: [UInt8]] = [:]
  ) -> Advertisement {
    Advertisement(
      address: BluetoothAddress(rawValue: 1), adapter: AdapterID(BluetoothAddress(rawValue: 2)),
      receivedAt: MonotonicInstant(sinceZero: .zero), localName: name, serviceUUIDs: services,
      serviceData: data)
  }

  static let overlaps: [(own: [Condition], other: [Condition], meets: Bool)] = [
    ([.name("Lamp")], [.namePrefix("La")], true), ([.name("Lamp")], [.namePrefix("mp")], false),
    ([.namePrefix("La")], [.namePrefix("Lamp")], true), ([.name("A")], [.name("B")], false),
    ([.name("A")], [.name("A")], true),
    ([.serviceData(first, startsWith: [1, 2])], [.serviceData(first, startsWith: [1])], true),
    ([.serviceData(first, startsWith: [1])], [.serviceData(second, startsWith: [1])], false),
    ([.serviceData(first, startsWith: [1])], [.serviceData(first, startsWith: [2])], false),
    ([.manufacturerData(1, startsWith: [1, 2])], [.manufacturerData(1, startsWith: [1])], true),
    ([.manufacturerData(1, startsWith: [1])], [.manufacturerData(2, startsWith: [1])], false),
    ([.manufacturerData(1, startsWith: [1])], [.manufacturerData(1, startsWith: [2])], false),
    ([.identity], [.identity], true), ([.identityOf(.integer(1))], [.identity], true),
    ([.expectedIdentity], [.identity], true), ([.noIdentity], [.noIdentity], true),
    ([.identityOf(.integer(1))], [.identityOf(.integer(2))], false), ([.identity], [.noIdentity], false),
    ([.identity], [.manufacturerData(IBeacon.company, startsWith: [])], true),
    ([.identity], [.manufacturerData(1, startsWith: [])], false),
    ([.identity], [.manufacturerData(IBeacon.company, startsWith: [0xEE])], false),
    // The service of one family only decides between them.
    ([.service(first), .name("L")], [.name("L")], false),
    ([.service(first), .name("L")], [.service(second), .name("L")], false),
    ([.service(first), .service(second), .name("L")], [.service(second)], true),
  ]

  @Test("two families certainly meet if all that one recognises is also the other's", arguments: overlaps)
  func overlap(own: [Condition], other: [Condition], meets: Bool) {
    let families = (
      Self.family("a", Self.first, Self.beacon, own), Self.family("b", Self.second, Self.beacon, other)
    )
    #expect(families.0.certainlyMeets(families.1) == meets)
    #expect(families.1.certainlyMeets(families.0) == meets)
  }

  @Test(
    "identities have one format if their place, prefix, parts and rest are the same, whatever the settings")
  func formats() {
    let base = IdentityRule(
      .serviceData(Self.first), prefix: [1], parts: [.init("lamp", "lamp", .uint8)], trailing: 1)
    var others = [IdentityRule](repeating: base, count: 6)
    others[0].place = .serviceData(Self.second)
    others[1].prefix = [2]
    others[2].trailing = 0
    others[3].parts[0].name = "zone"
    others[4].parts[0].encoding = .uint16(.bigEndian)
    others[5].parts[0].setting = "zone"
    let meet = others.map { other in
      Self.family("a", Self.first, base, [.identity])
        .certainlyMeets(Self.family("b", Self.second, other, [.identity]))
    }
    #expect(meet == [false, false, false, false, false, true])
  }

  @Test("an advertisement without content meets no condition, except that it has no identity")
  func empty() {
    let conditions: [Condition] = [
      .name(""), .namePrefix(""), .service(Self.first), .serviceData(Self.first, startsWith: []),
      .manufacturerData(1, startsWith: []), .identity, .expectedIdentity, .identityOf(.integer(1)),
    ]
    for condition in conditions {
      let family = Self.family("a", Self.first, Self.beacon, [condition])
      #expect(family.recognise(Self.advertisement()) == nil, "\(condition)")
    }
    #expect(
      Self.family("a", Self.first, Self.beacon, [.noIdentity]).recognise(Self.advertisement()) == .present)
  }

  @Test("an advertisement is of the family whose service it offers, or else of the first, by its first rule")
  func order() {
    var first = Self.family("a", Self.first, nil, [.name("L")])
    first.recognition.append(RecognitionRule(.waiting, .name("L")))
    let families = FamilyCatalogue([first, Self.family("b", Self.second, nil, [.name("L")])])
    for (services, profile, rivals) in [
      ([], "a", ["a", "b"]), ([Self.second], "b", []), ([Self.second, Self.first], "a", ["a", "b"]),
    ] as [([BluetoothUUID], FamilyID, [FamilyID])] {
      let advertisement = Self.advertisement("L", services)
      #expect(families.recognise(advertisement)?.profile == profile)
      #expect(families.rivals(advertisement) == rivals)
    }
    #expect(families.recognise(Self.advertisement("L"))?.recognition == .present)
  }

  @Test("an identity that two families can read is read as by the first")
  func identity() {
    let families = FamilyCatalogue(
      [WireEncoding.ByteOrder.bigEndian, .littleEndian].map { order in
        let rule = IdentityRule(.serviceData(Self.first), parts: [.init("lamp", "lamp", .uint16(order))])
        return Self.family(FamilyID(rawValue: "\(order)"), Self.first, rule, [.identity])
      })
    let advertisement = Self.advertisement(data: [Self.first: [1, 2]])
    #expect(families.identity(in: advertisement) == DeviceIdentity(["lamp 258"]))
  }

  @Test("a family has the stages that its procedure and its proof need")
  func stages() {
    let (begin, uuid) = ([Stage.search, .connect, .discover], Self.first)
    func stages(_ procedure: Procedure, _ proof: ProofRule) -> [Stage] {
      DeviceFamily.stages(of: procedure, proof)
    }
    #expect(stages(Procedure(), .readBack) == begin + [.write])
    #expect(stages(Procedure(status: StatusRule(uuid)), .onAir) == begin + [.ready, .write, .verify])
    #expect(
      stages(Procedure(status: StatusRule(uuid, saved: [.bytes([1])])), .status) == begin + [
        .ready, .write, .save,
      ])
    #expect(
      stages(Procedure(readsFirst: true, save: .init(uuid, [1])), .onAir)
        == begin + [.read, .write, .save, .verify])
    #expect(
      stages(Procedure(readsBack: true), .selfDisconnect(within: .seconds(1)))
        == begin + [.read, .write, .save])
  }

  @Test("the rooms of a family are told apart by settings on air, or else by those that are not shared")
  func distinguishing() {
    #expect(DeviceFamily.iotDesignShop.distinguishingSettings.map(\.name) == [.uuid, .major, .minor])
    #expect(DeviceFamily.roboSensor.distinguishingSettings.map(\.name) == [.minor])
    #expect(DeviceFamily.firefly.distinguishingSettings.map(\.name) == ["control", "value", "range"])
    var family = DeviceFamily.roboSensor
    for index in family.settings.indices { family.settings[index].isOnAir = true }
    #expect(family.countedSetting?.name == .minor, "a text is not counted")
  }
}
